import type { Attempt } from '../../kernel/attempt.ts';
import type { ClientRequest } from '../../kernel/client-request.ts';
import type { CallSpan, Step, Trace } from '../../kernel/trace.ts';
import type { EndedCall } from '../ended-call.ts';
import { errorFactsOf } from '../error-facts.ts';
import { limits } from '../limits.ts';
import { addPrompt, attemptAttributes, attemptMeasurements, operationOf } from './gen-ai-attributes.ts';
import {
  type Measurements,
  NamedValues,
  noLinks,
  parentIsRemote,
  type Span,
  type SpanAttributes,
  spanKinds,
  traceFlags,
} from './span.ts';
import { toolCallSpan } from './tool-call-spans.ts';

export interface ReportedCall {
  readonly call: EndedCall;
  readonly clientRequest: ClientRequest;
  readonly span: CallSpan;
  /** Undefined for a call that admission rejected. */
  readonly trace: Trace | undefined;
  readonly startedAtMs: number;
}

export interface CallSpansOptions {
  /** Microseconds since 1970 of a time on the performance clock. */
  toEpochUs(atMs: number): number;
  /** Whether a module shortens conversations. */
  shortens(module: string): boolean;
}

/** The spans of a call: the call itself, its modules, its attempts and its calls of tools. */
export function callSpans(reported: ReportedCall, options: CallSpansOptions): readonly Span[] {
  const { trace } = reported;
  if (trace === undefined) return [rootSpan(reported, options)];
  const isCompacted = hasCompactedContext(reported, options);
  const spans = [rootSpan(reported, options)];
  for (const step of trace.steps) spans.push(stepSpan(step, reported, options));
  for (const attempt of trace.attempts) spans.push(attemptSpan(attempt, reported, options, isCompacted));
  for (const toolCall of trace.toolCalls) {
    const step = trace.steps.findLast(({ module }) => module === toolCall.askedBy);
    const parentSpanId = step?.spanId ?? reported.span.spanId;
    spans.push(toolCallSpan(toolCall, { ...options, span: reported.span, parentSpanId }));
  }
  return spans;
}

function rootSpan(reported: ReportedCall, { toEpochUs }: CallSpansOptions): Span {
  const { call, clientRequest, span, trace, startedAtMs } = reported;
  const { relay } = clientRequest;
  const method = relay?.route.method ?? 'POST';
  const route = routeOf(clientRequest);
  const isOfClient = call.askedBy === undefined;
  const isFailed = call.ending === 'failed';
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parent?.spanId,
    tracestate: span.parent?.tracestate,
    flags: traceFlags(span) | (span.parent === undefined ? 0 : parentIsRemote),
    name: isOfClient ? `${method} ${route}` : `${call.askedBy} call`,
    similar: 'call',
    kind: isOfClient ? spanKinds.server : spanKinds.internal,
    startUs: toEpochUs(startedAtMs),
    endUs: toEpochUs(startedAtMs + call.totalMs),
    attributes: rootAttributes(reported, isOfClient ? { method, route } : undefined),
    measurements: rootMeasurements(call),
    // By the conventions of HTTP servers, an error of the client is none of the server.
    error:
      isFailed && !(call.status >= 400 && call.status < 500) ? (call.errorCode ?? 'internal') : undefined,
    links: trace?.replayedSpan === undefined ? noLinks : [trace.replayedSpan],
  };
}

/** The values that repeat from call to call come first. `http` is missing for a call of a module. */
function rootAttributes(
  { call, clientRequest, trace }: ReportedCall,
  http: { readonly method: string; readonly route: string } | undefined,
): SpanAttributes {
  // Attempts have the target in spans of their own.
  const replayedFrom = trace?.attempts.length === 0 ? trace.replayedFrom : undefined;
  const all: SpanAttributes = new NamedValues();
  if (http !== undefined) {
    all.add('http.request.method', http.method);
    all.add('http.route', http.route);
    all.add('url.path', clientRequest.path === http.route ? undefined : clientRequest.path);
    all.add('http.response.status_code', call.status);
  }
  all.add('weir.wire_format', call.wire);
  all.add('weir.model.requested', call.modelAsked);
  all.add('weir.account.id', call.accountId);
  all.add('weir.key.id', call.keyId);
  all.add('weir.client', call.client);
  all.add('weir.agent', call.agent);
  all.add('weir.pipeline', call.pipeline === '' ? undefined : call.pipeline);
  if (call.tags !== undefined)
    for (const [name, value] of Object.entries(call.tags)) all.add(`weir.tag.${name}`, value);
  all.add('error.type', call.ending === 'failed' ? (call.errorCode ?? 'internal') : undefined);
  all.add('weir.ending', call.ending === 'complete' ? undefined : call.ending);
  all.add('weir.cache', cacheResultOf(trace));
  all.add('weir.cost.estimated', call.costEstimated ? true : undefined);
  all.add('weir.replayed.model', replayedFrom?.model);
  all.add('weir.replayed.provider', replayedFrom?.provider.name);
  addPrompt(all, clientRequest);
  all.add('gen_ai.conversation.id', call.conversation);
  all.add('enduser.pseudo.id', call.endUser);
  all.add('weir.request.id', call.id);
  return all;
}

function rootMeasurements({ costNanoUsd, savedNanoUsd, overheadMs }: EndedCall): Measurements {
  const all: Measurements = new NamedValues();
  all.add('weir.cost.usd', costNanoUsd === undefined ? undefined : costNanoUsd / 1e9);
  all.add('weir.saved.usd', savedNanoUsd === 0 ? undefined : savedNanoUsd / 1e9);
  all.add('weir.overhead', overheadMs / 1000);
  return all;
}

function stepSpan(
  step: Step,
  { call, span, startedAtMs }: ReportedCall,
  { toEpochUs }: CallSpansOptions,
): Span {
  const { module, effect, savedNanoUsd, outer, fault } = step;
  const attributes: SpanAttributes = new NamedValues();
  const measurements: Measurements = new NamedValues();
  attributes.add('weir.module', module);
  attributes.add('weir.effect', effect);
  attributes.add('error.type', fault === undefined ? undefined : 'module_broken');
  measurements.add('weir.own_time', step.ownMs / 1000);
  measurements.add('weir.saved.usd', savedNanoUsd === 0 ? undefined : savedNanoUsd / 1e9);
  for (const [name, value] of Object.entries(step.attributes).slice(0, limits.requestLogAttributesMax))
    if (typeof value === 'number') measurements.add(`weir.note.${name}`, value);
    else attributes.add(`weir.note.${name}`, value);
  return {
    traceId: span.traceId,
    spanId: step.spanId,
    parentSpanId: outer?.spanId ?? span.spanId,
    tracestate: span.parent?.tracestate,
    flags: traceFlags(span),
    name: module,
    similar: module,
    kind: spanKinds.internal,
    startUs: toEpochUs(step.startedAtMs),
    endUs: toEpochUs(step.endedAtMs ?? startedAtMs + call.totalMs),
    attributes,
    measurements,
    error: fault === undefined ? undefined : 'module_broken',
    links: noLinks,
  };
}

function attemptSpan(
  attempt: Attempt,
  reported: ReportedCall,
  { toEpochUs }: CallSpansOptions,
  isCompacted: boolean,
): Span {
  const { call, clientRequest, span, trace } = reported;
  const { target, ending, startedAtMs, endedAtMs = startedAtMs, isModuleCall, askedBy } = attempt;
  const operation = operationOf(clientRequest);
  const error = ending?.how === 'failed' ? errorTypeOf(ending.error) : undefined;
  const step = isModuleCall ? trace?.steps.findLast(({ module }) => module === askedBy) : attempt.step;
  return {
    traceId: span.traceId,
    spanId: attempt.spanId,
    parentSpanId: step?.spanId ?? span.spanId,
    tracestate: span.parent?.tracestate,
    flags: traceFlags(span),
    name: target.model === '' ? operation : `${operation} ${target.model}`,
    similar: 'attempt',
    kind: spanKinds.client,
    startUs: toEpochUs(startedAtMs),
    endUs: toEpochUs(endedAtMs),
    attributes: attemptAttributes(attempt, clientRequest, {
      error,
      conversation: isModuleCall ? undefined : call.conversation,
      isCompacted: isCompacted && !isModuleCall,
    }),
    measurements: attemptMeasurements(attempt, clientRequest),
    error,
    links: noLinks,
  };
}

/** Undefined if no cache was asked. */
function cacheResultOf(trace: Trace | undefined): 'hit' | 'miss' | undefined {
  const result = trace?.cacheHeader();
  return result === 'bypass' ? undefined : result;
}

/** What the provider calls the error, or the gateway's own code. */
export function errorTypeOf(error: unknown): string {
  const { code, providerError } = errorFactsOf(error);
  return providerError ?? code;
}

/** Whether the client or a module replaced earlier turns with less. */
function hasCompactedContext(
  { clientRequest, trace }: ReportedCall,
  { shortens }: CallSpansOptions,
): boolean {
  if (clientRequest.wire.isCompacted?.(clientRequest) === true) return true;
  if (trace === undefined) return false;
  return trace.steps.some(
    ({ module, effect }) => (effect === 'changed-request' || effect === 'changed-both') && shortens(module),
  );
}

/** The path as routes declare it: paths have names of models, and backends need few different names of spans. */
function routeOf({ relay, wire, path }: ClientRequest): string {
  if (relay !== undefined) return relay.route.path;
  for (const route of wire.routes) if (route.path === path) return path;
  const open = wire.routes.find((route) => {
    const [start = '', end] = route.path.split('*');
    return end !== undefined && path.startsWith(start) && path.endsWith(end);
  });
  return open?.path ?? wire.name;
}
