import type { Attempt } from '../../kernel/attempt.ts';
import type { ClientRequest } from '../../kernel/client-request.ts';
import type { Tags } from '../../kernel/tags.ts';
import type { CallSpan, Step, Trace } from '../../kernel/trace.ts';
import type { SpanReference } from '../../kernel/trace-parent.ts';
import type { EndedCall } from '../ended-call.ts';
import { errorFactsOf } from '../error-facts.ts';
import { limits } from '../limits.ts';
import {
  attemptAttributes,
  attemptMeasurements,
  operationOf,
  promptAttributes,
} from './gen-ai-attributes.ts';
import { type Attributes, type Span, spanKinds } from './span.ts';

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

/** The spans of a call: the call itself, its modules and its attempts. */
export function callSpans(reported: ReportedCall, options: CallSpansOptions): readonly Span[] {
  const { trace } = reported;
  if (trace === undefined) return [rootSpan(reported, options)];
  const isCompacted = hasCompactedContext(reported, options);
  return [
    rootSpan(reported, options),
    ...trace.steps.map((step) => stepSpan(step, reported, options)),
    ...trace.attempts.map((attempt) => attemptSpan(attempt, reported, { ...options, isCompacted })),
  ];
}

function rootSpan(reported: ReportedCall, { toEpochUs }: CallSpansOptions): Span {
  const { call, clientRequest, span, trace, startedAtMs } = reported;
  const { relay } = clientRequest;
  const method = relay?.route.method ?? 'POST';
  const route = routeOf(clientRequest);
  const isOfClient = call.askedBy === undefined;
  const isFailed = call.ending === 'failed';
  // Attempts have the target in spans of their own.
  const replayedFrom = trace?.attempts.length === 0 ? trace.replayedFrom : undefined;
  const { costNanoUsd, savedNanoUsd } = call;
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parent?.spanId,
    tracestate: span.parent?.tracestate,
    flags: traceFlags(span) | (span.parent === undefined ? 0 : parentIsRemote),
    name: isOfClient ? `${method} ${route}` : `${call.askedBy} call`,
    kind: isOfClient ? spanKinds.server : spanKinds.internal,
    startUs: toEpochUs(startedAtMs),
    endUs: toEpochUs(startedAtMs + call.totalMs),
    attributes: {
      'http.request.method': isOfClient ? method : undefined,
      'http.route': isOfClient ? route : undefined,
      'url.path': isOfClient && clientRequest.path !== route ? clientRequest.path : undefined,
      'http.response.status_code': isOfClient ? call.status : undefined,
      'error.type': isFailed ? (call.errorCode ?? 'internal') : undefined,
      'gen_ai.conversation.id': call.conversation,
      ...promptAttributes(clientRequest),
      'enduser.pseudo.id': call.endUser,
      'weir.request.id': call.id,
      'weir.account.id': call.accountId,
      'weir.key.id': call.keyId,
      'weir.agent': call.agent,
      'weir.client': call.client,
      'weir.pipeline': call.pipeline === '' ? undefined : call.pipeline,
      'weir.model.requested': call.modelAsked,
      'weir.replayed.model': replayedFrom?.model,
      'weir.replayed.provider': replayedFrom?.provider.name,
      'weir.wire_format': call.wire,
      'weir.ending': call.ending === 'complete' ? undefined : call.ending,
      'weir.cache': cacheResultOf(trace),
      'weir.cost.estimated': call.costEstimated ? true : undefined,
      ...(call.tags !== undefined && tagAttributes(call.tags)),
    },
    measurements: {
      'weir.cost.usd': costNanoUsd === undefined ? undefined : costNanoUsd / 1e9,
      'weir.saved.usd': savedNanoUsd === 0 ? undefined : savedNanoUsd / 1e9,
      'weir.overhead': call.overheadMs / 1000,
    },
    // By the conventions of HTTP servers, an error of the client is none of the server.
    error:
      isFailed && !(call.status >= 400 && call.status < 500) ? (call.errorCode ?? 'internal') : undefined,
    links: trace?.replayedSpan === undefined ? noLinks : [trace.replayedSpan],
  };
}

function stepSpan(
  step: Step,
  { call, span, startedAtMs }: ReportedCall,
  { toEpochUs }: CallSpansOptions,
): Span {
  const { module, effect, savedNanoUsd, outer, fault } = step;
  const notes = Object.entries(step.attributes).slice(0, limits.requestLogAttributesMax);
  const named = (type: 'number' | 'other') =>
    notes
      .filter(([, value]) => (typeof value === 'number') === (type === 'number'))
      .map(([name, value]) => [`weir.note.${name}`, value]);
  return {
    traceId: span.traceId,
    spanId: step.spanId,
    parentSpanId: outer?.spanId ?? span.spanId,
    tracestate: span.parent?.tracestate,
    flags: traceFlags(span),
    name: module,
    kind: spanKinds.internal,
    startUs: toEpochUs(step.startedAtMs),
    endUs: toEpochUs(step.endedAtMs ?? startedAtMs + call.totalMs),
    attributes: {
      'weir.module': module,
      'weir.effect': effect,
      'error.type': fault === undefined ? undefined : 'module_broken',
      ...Object.fromEntries(named('other')),
    },
    measurements: {
      'weir.own_time': step.ownMs / 1000,
      'weir.saved.usd': savedNanoUsd === 0 ? undefined : savedNanoUsd / 1e9,
      ...Object.fromEntries(named('number')),
    },
    error: fault === undefined ? undefined : 'module_broken',
    links: noLinks,
  };
}

interface AttemptOptions extends CallSpansOptions {
  readonly isCompacted: boolean;
}

function attemptSpan(
  attempt: Attempt,
  reported: ReportedCall,
  { toEpochUs, isCompacted }: AttemptOptions,
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

function tagAttributes(tags: Tags): Attributes {
  return Object.fromEntries(Object.entries(tags).map(([name, value]) => [`weir.tag.${name}`, value]));
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

/** Those of the client, with the mark of a sampled span and the one that tells of the parent. */
function traceFlags({ parent }: CallSpan): number {
  return (parent === undefined ? 0 : Number.parseInt(parent.flags, 16)) | 0x101;
}

const parentIsRemote = 0x200;

const noLinks: readonly SpanReference[] = [];

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
