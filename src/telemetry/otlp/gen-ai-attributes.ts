import type { Attempt } from '../../kernel/attempt.ts';
import type { ClientRequest } from '../../kernel/client-request.ts';
import type { Usage } from '../../kernel/message.ts';
import type { Provider } from '../../kernel/provider.ts';
import { storableFigure as figure } from '../../kernel/storable.ts';
import { type Measurements, NamedValues, type SpanAttributes } from './span.ts';

// Names are those of https://github.com/open-telemetry/semantic-conventions-genai.

/** What the client asked for: a chat, or the name of an endpoint such as `embeddings`. */
export function operationOf({ relay }: ClientRequest): string {
  return relay?.route.endpoint ?? 'chat';
}

interface AttemptContext {
  /** The type of the error; undefined for an attempt that did not fail. */
  readonly error: string | undefined;
  readonly conversation: string | undefined;
  /** Whether earlier turns were replaced with less. */
  readonly isCompacted: boolean;
}

/** The values that repeat from call to call come first. */
export function attemptAttributes(
  attempt: Attempt,
  clientRequest: ClientRequest,
  { error, conversation, isCompacted }: AttemptContext,
): SpanAttributes {
  const { target, usage, stopReason, isModuleCall, ending } = attempt;
  const { address, port } = serverOf(target.provider);
  const all: SpanAttributes = new NamedValues();
  all.add('gen_ai.operation.name', operationOf(clientRequest));
  all.add('gen_ai.provider.name', providerNameOf(target.provider));
  all.add('server.address', address);
  all.add('server.port', port);
  all.add('gen_ai.request.model', target.model === '' ? undefined : target.model);
  all.add('gen_ai.response.model', attempt.answeredModel);
  all.add('gen_ai.request.stream', isStreamed(attempt, clientRequest) ? true : undefined);
  all.add('weir.asked_by', attempt.askedBy);
  all.add('weir.module_call', isModuleCall ? true : undefined);
  all.add('weir.ending', ending?.how === 'complete' ? undefined : ending?.how);
  all.add('error.type', error);
  all.add('gen_ai.conversation.compacted', isCompacted ? true : undefined);
  addPrompt(all, clientRequest);
  all.add('gen_ai.conversation.id', conversation);
  all.add('weir.cost.estimated', attempt.bill?.estimated === true ? true : undefined);
  all.add('gen_ai.response.finish_reasons', stopReason === undefined ? undefined : [stopReason]);
  all.add('gen_ai.usage.input_tokens', inputTokensOf(usage));
  all.add('gen_ai.usage.output_tokens', figure(usage.output_tokens));
  all.add('gen_ai.usage.cache_read.input_tokens', positive(usage.cache_read_input_tokens));
  all.add('gen_ai.usage.cache_write.input_tokens', positive(usage.cache_creation_input_tokens));
  all.add('gen_ai.usage.reasoning.output_tokens', positive(usage.output_tokens_details?.thinking_tokens));
  all.add('gen_ai.response.id', attempt.answerId === '' ? undefined : attempt.answerId);
  all.add('weir.provider.request_id', attempt.providerRequestId);
  return all;
}

/** Adds the stored prompt that a call begins with. */
export function addPrompt(attributes: SpanAttributes, { prompt }: ClientRequest): void {
  if (prompt === undefined) return;
  attributes.add('gen_ai.prompt.name', prompt.name);
  attributes.add('gen_ai.prompt.version', String(prompt.version));
}

export function attemptMeasurements(attempt: Attempt, clientRequest: ClientRequest): Measurements {
  const { bill } = attempt;
  const all: Measurements = new NamedValues();
  all.add('gen_ai.response.time_to_first_chunk', firstChunkSeconds(attempt, clientRequest));
  all.add('weir.cost.usd', bill && bill.nanoUsd / 1e9);
  return all;
}

/** Undefined for an answer that is not streamed. */
export function firstChunkSeconds(attempt: Attempt, clientRequest: ClientRequest): number | undefined {
  const { firstContentAtMs, startedAtMs } = attempt;
  if (firstContentAtMs === undefined || !isStreamed(attempt, clientRequest)) return undefined;
  return (firstContentAtMs - startedAtMs) / 1000;
}

/** Whether the client of a call that is streamed gets this answer. */
function isStreamed({ isModuleCall }: Attempt, { streamed }: ClientRequest): boolean {
  return streamed && !isModuleCall;
}

/** Most calls have none: leaving them out makes exports smaller. */
function positive(count: number | undefined): number | undefined {
  return figure(count) || undefined;
}

/** All of them, also those that the provider had in its cache, as the conventions count; undefined if unknown. */
export function inputTokensOf(usage: Usage): number | undefined {
  const input = figure(usage.input_tokens);
  const read = figure(usage.cache_read_input_tokens);
  const written = figure(usage.cache_creation_input_tokens);
  if (input === undefined && read === undefined && written === undefined) return undefined;
  return (input ?? 0) + (read ?? 0) + (written ?? 0);
}

export function providerNameOf({ name, telemetryName }: Provider): string {
  return telemetryName ?? name;
}

interface Server {
  readonly address: string | undefined;
  readonly port: number | undefined;
}

const servers = new WeakMap<Provider, Server>();

/** Undefined for a provider without an address, or with one that differs by customer. */
export function serverOf(provider: Provider): Server {
  const known = servers.get(provider);
  if (known !== undefined) return known;
  const hasAddress = provider.answerLocally === undefined && !provider.baseUrl.includes('{');
  const url = hasAddress ? URL.parse(provider.baseUrl) : null;
  const server = {
    address: url?.hostname,
    port: url === null ? undefined : Number(url.port) || (url.protocol === 'http:' ? 80 : 443),
  };
  servers.set(provider, server);
  return server;
}
