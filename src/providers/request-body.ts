import type { ClientRequest } from '../kernel/client-request.ts';
import type { Exchange } from '../kernel/exchange.ts';
import { type FieldReader, LazyJsonObject } from '../kernel/json/lazy-json-object.ts';
import { addFields, patchJson } from '../kernel/json/patch-json.ts';
import { acceptanceOf, takesSettings } from '../kernel/provider.ts';
import type { ProviderFormat } from '../kernel/wire-format.ts';
import type { JsonObject } from '../lib/json.ts';
import { isStreamed } from './outbound-request.ts';

/** The fields that request usage in a stream; undefined if not needed or if the provider might reject them. */
export function usageFieldsFor(exchange: Exchange, wire: ProviderFormat): JsonObject | undefined {
  const { clientRequest, target } = exchange;
  const own = clientRequest.wire === wire;
  const { streamUsage = own ? 'unasked' : 'asked' } = target.provider;
  if (streamUsage === 'unasked' || !isStreamed(exchange)) return undefined;
  return own ? clientRequest.usageOptInFields : wire.usageOptIn?.optInFields(noFields);
}

/** For bodies that we wrote ourselves. */
const noLimits = { valuesMax: Number.POSITIVE_INFINITY, depthMax: Number.POSITIVE_INFINITY };
const noFields: FieldReader = { get: () => undefined };

/** The model's own limit, for formats that require one. */
export function withOutputLimit(max_tokens: number | undefined, exchange: Exchange): Exchange {
  if (max_tokens === undefined) return exchange;
  return exchange.with({ request: { ...exchange.request, max_tokens } });
}

/** The body for the provider, without what it would reject in the client's own bytes. */
export function requestBody(
  exchange: Exchange,
  wire: ProviderFormat,
  added: JsonObject | undefined,
): Uint8Array {
  const { clientRequest, target, trace } = exchange;
  const body = encodedBody(exchange, wire, added);
  if (clientRequest.wire !== wire) return body;
  const received = exchange.isUnmodified ? clientRequest.fields : undefined;
  const replaced = wire.replaceForeignContent?.(body, target.model, received);
  if (replaced === undefined) return body;
  trace.dropped.push(...replaced.dropped);
  return replaced.body;
}

/** Sends the client's own bytes if the request is unchanged by identity; writes `added` into them. */
function encodedBody(exchange: Exchange, wire: ProviderFormat, added: JsonObject | undefined): Uint8Array {
  const { clientRequest, target, trace } = exchange;
  const own = clientRequest.wire === wire ? clientRequest : undefined;
  if (own !== undefined && exchange.isUnmodified) {
    const model = own.routing.model === target.model ? undefined : wire.modelFields(target.model, own.fields);
    if (model === undefined && added === undefined) return own.bytes;
    if (!isMoved(own, target.model)) return patchJson(own.fields, { ...model, ...added });
    const rejected = (wire.rejectedFields?.(own) ?? []).filter((field) => own.fields.get(field) != null);
    trace.dropped.push(...rejected);
    const omitted = Object.fromEntries(rejected.map((field) => [field, undefined]));
    return patchJson(own.fields, { ...model, ...omitted, ...settingsFor(exchange, wire, own), ...added });
  }
  const request =
    exchange.request.model === target.model ? exchange.request : { ...exchange.request, model: target.model };
  const { body, dropped } = wire.encodeRequest(request, own, acceptanceOf(target));
  trace.dropped.push(...dropped);
  if (added === undefined) return body;
  return own === undefined ? addFields(body, added) : patchJson(LazyJsonObject.of(body, noLimits), added);
}

/** Settings of a moved call in place of those that its model rejects. The request is read only if the model rejects any. */
function settingsFor(exchange: Exchange, wire: ProviderFormat, own: ClientRequest): JsonObject | undefined {
  const { target } = exchange;
  const { rejectedEfforts, rejectedThinking } = acceptanceOf(target);
  if (rejectedEfforts.length + rejectedThinking.length === 0) return undefined;
  return takesSettings(target, exchange.request)
    ? undefined
    : wire.replaceSettings?.(exchange.request, target, own.fields);
}

/** Whether the client asked for another model. */
function isMoved({ routing }: ClientRequest, model: string): boolean {
  const requested = String(routing.model);
  return requested !== model && !requested.endsWith(`/${model}`);
}
