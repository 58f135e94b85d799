import { hash } from 'node:crypto';
import {
  canonicalJson,
  changeRelay,
  type Exchange,
  GatewayError,
  type Handler,
  type InputList,
  isJsonObject,
  type JsonObject,
  jsonObjectIn,
  type Kit,
  type RelayRequest,
  type Reply,
  readRelayAnswer,
  relayAnswer,
} from '../../module-api.ts';

interface InputCache {
  readonly kit: Kit<{ readonly ttl: number; readonly max_bytes: number }>;
  /** The key of the call without its inputs. */
  readonly key: string;
}

interface CachedResult {
  readonly result: JsonObject;
  /** The input tokens that it took. */
  readonly tokens: number;
}

/** Answers the inputs of a call that were answered before, and asks the provider for the others. */
export async function answerInputs(exchange: Exchange, next: Handler, cache: InputCache): Promise<Reply> {
  const { relay, target } = exchange;
  const inputList = relay?.route.inputList;
  const inputs = relay && inputList?.inputsOf(relay.fields);
  if (relay === undefined || inputList === undefined || inputs === undefined) return next(exchange);
  const { kit } = cache;
  const keys = inputs.map((input) => hash('sha256', canonicalJson([cache.key, input]), 'base64url'));
  const found = await findResults(keys, kit);
  const missing = new Map(keys.flatMap((key, at) => (found.has(key) ? [] : [[key, inputs[at]] as const])));
  const hits = keys.filter((key) => found.has(key));
  const tokens = hits.reduce((sum, key) => sum + (found.get(key)?.tokens ?? 0), 0);
  kit.addSaving(savingOf(tokens, exchange, kit));
  if (missing.size === 0) {
    kit.note({ hit: true, inputs: inputs.length });
    return relayAnswer(inputList.join(pick(keys, found), [], target.model), exchange);
  }
  kit.note({ miss: true, ...(hits.length > 0 && { hits: hits.length }), inputs: inputs.length });
  const part = { inputList, relay, missing };
  if (missing.size === inputs.length) {
    const reply = await next(exchange);
    return reply.record(kit.options.max_bytes * inputs.length, ({ body }) =>
      storeResults(jsonObjectIn(body), part, cache),
    );
  }
  const fewer = exchange.with({ relay: changeRelay(relay, inputList.fieldsFor([...missing.values()])) });
  const answer = await readRelayAnswer(await next(fewer), fewer);
  const results = inputList.resultsOf(answer, missing.size);
  if (results === undefined)
    throw new GatewayError('upstream_broken', 'the provider did not answer each input');
  for (const [at, key] of [...missing.keys()].entries())
    found.set(key, { result: results[at] ?? {}, tokens: 0 });
  await storeResults(answer, part, cache);
  return relayAnswer(inputList.join(pick(keys, found), [answer], target.model), fewer);
}

async function findResults(
  keys: readonly string[],
  kit: Pick<InputCache['kit'], 'cache'>,
): Promise<Map<string, CachedResult>> {
  const found = new Map<string, CachedResult>();
  await Promise.all(
    [...new Set(keys)].map(async (key) => {
      const cached = readResult(await kit.cache.get(key));
      if (cached !== undefined) found.set(key, cached);
    }),
  );
  return found;
}

function pick(keys: readonly string[], found: ReadonlyMap<string, CachedResult>): readonly JsonObject[] {
  return keys.map((key) => found.get(key)?.result ?? {});
}

/** What was asked of the provider: the inputs that were not cached. */
interface AskedPart {
  readonly inputList: InputList;
  readonly relay: RelayRequest;
  readonly missing: ReadonlyMap<string, unknown>;
}

/** Stores each result under the key of its input, with its share of the tokens. */
async function storeResults(
  answer: JsonObject | undefined,
  { inputList, relay, missing }: AskedPart,
  { kit }: InputCache,
): Promise<void> {
  const results = answer && inputList.resultsOf(answer, missing.size);
  if (answer === undefined || results === undefined) return;
  const { input_tokens: tokens = 0 } = relay.route.usageOf?.(answer) ?? {};
  const lengths = Array.from(missing.values(), (input) => JSON.stringify(input).length);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const { ttl, max_bytes: bytesMax } = kit.options;
  const storing = Array.from(missing.keys(), async (key, at) => {
    const share = Math.round((tokens * (lengths[at] ?? 0)) / total);
    const bytes = Buffer.from(JSON.stringify({ result: results[at], tokens: share }));
    if (bytes.byteLength <= bytesMax) await kit.cache.put(key, bytes, ttl);
  });
  await Promise.all(storing);
}

function savingOf(tokens: number, { target }: Exchange, kit: InputCache['kit']): number {
  if (tokens === 0) return 0;
  return kit.catalog.bill(target, { input_tokens: tokens, output_tokens: 0 })?.nanoUsd ?? 0;
}

function readResult(bytes: Uint8Array | undefined): CachedResult | undefined {
  const { result, tokens } = (bytes && jsonObjectIn(bytes)) ?? {};
  return isJsonObject(result) && typeof tokens === 'number' ? { result, tokens } : undefined;
}
