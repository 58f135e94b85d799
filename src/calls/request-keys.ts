import { hash, randomBytes } from 'node:crypto';
import { KeyedHasher } from '../accounts/keyed-hasher.ts';
import { type ClientRequest, rawHeadersOf } from '../kernel/client-request.ts';
import { credentialsOf, type Exchange } from '../kernel/exchange.ts';
import { canonicalJson, exactBody, type JsonObject } from '../kernel/json.ts';
import { limits } from '../kernel/limits.ts';
import { Lru } from '../kernel/lru.ts';
import type { ChatRequest, TextBlock } from '../kernel/message.ts';
import type { ConversationContext } from '../kernel/module.ts';
import { type Provider, wiresOf } from '../kernel/provider.ts';
import { stripCacheControl } from '../kernel/strip-cache-control.ts';

/** Says which calls are the same question, by a name for everything that can change the answer. */
export class RequestKeys {
  /** Requests that are the same byte for byte have the same name, which then needn't be worked out again; by their bytes. */
  readonly #keysByBytes = new Lru<readonly CachedRequestKey[]>(limits.cachedRequestKeysMax);
  /** Names of bytes. The key is this process's own, so that nobody can make two that have the same name. */
  readonly #bodyHashes = new KeyedHasher(randomBytes(16));
  /** Makes the names of credentials. */
  readonly #credentialDigestKey: Uint8Array;

  constructor(nameKey: Uint8Array) {
    this.#credentialDigestKey = nameKey;
  }

  get size(): number {
    return this.#keysByBytes.size;
  }

  async of(exchange: Exchange): Promise<string> {
    const finding = credentialsOf(exchange).find(exchange.target);
    const credential = finding instanceof Promise ? await finding : finding;
    const payer = credential?.keyedDigest(this.#credentialDigestKey) ?? '';
    if (!exchange.isUnmodified) return hashRequest(exchange, payer);
    const spelling = this.#bodyHashes.hashBytes(exchange.clientRequest.bytes);
    const alike = this.#keysByBytes.get(spelling) ?? none;
    for (const one of alike) if (matchesCall(one, exchange, payer)) return one.key;
    const cachedRequestKey = createCachedKey(exchange, payer);
    this.#keysByBytes.set(spelling, [cachedRequestKey, ...alike.slice(0, limits.requestKeyVariantsMax - 1)]);
    return cachedRequestKey.key;
  }

  /** The same, of all but the newest words of the user; undefined where the newest turn isn't the user's, or is more than text. */
  async contextKey(exchange: Exchange): Promise<ConversationContext | undefined> {
    const text = newestText(exchange.request);
    if (text === undefined) return undefined;
    const credential = await credentialsOf(exchange).find(exchange.target);
    const key = hashContext(exchange, credential?.keyedDigest(this.#credentialDigestKey) ?? '', text);
    return key === undefined ? undefined : { key, text };
  }
}

/** All that the meaning of a call is made of besides its bytes, as it came, and its name. */
interface CachedRequestKey {
  readonly provider: Provider;
  readonly model: string;
  readonly payer: string;
  readonly wire: string;
  readonly query: string;
  readonly streamed: boolean;
  readonly apiHeaders: string;
  readonly key: string;
}

const none: readonly CachedRequestKey[] = [];

function createCachedKey(exchange: Exchange, payer: string): CachedRequestKey {
  const { target, clientRequest } = exchange;
  const { provider, model } = target;
  const { wire, query, streamed } = clientRequest;
  const apiHeaders = apiHeadersIn(clientRequest);
  return {
    provider,
    model,
    payer,
    wire: wire.name,
    query,
    streamed,
    apiHeaders,
    key: hashRequest(exchange, payer),
  };
}

/** True only for calls that mean the same. */
function matchesCall(one: CachedRequestKey, { target, clientRequest }: Exchange, payer: string): boolean {
  return (
    one.payer === payer &&
    one.model === target.model &&
    one.provider === target.provider &&
    one.wire === clientRequest.wire.name &&
    one.query === clientRequest.query &&
    one.streamed === clientRequest.streamed &&
    one.apiHeaders === apiHeadersIn(clientRequest)
  );
}

/** The headers of its API that it was sent with: all that may change the answer. */
function apiHeadersIn(clientRequest: ClientRequest, aside: readonly string[] = []): string {
  const { prefix, harmless } = clientRequest.wire.apiHeaders;
  const headers = rawHeadersOf(clientRequest);
  let variants = '';
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? '';
    // The first letter, in either case, rules out most headers.
    if ((name.charCodeAt(0) | 32) !== prefix.charCodeAt(0)) continue;
    const lower = name.toLowerCase();
    if (!lower.startsWith(prefix) || harmless.includes(lower) || aside.includes(lower)) continue;
    variants += `${lower}: ${headers[at + 1]}\n`;
  }
  return variants;
}

/** Everything that can change the answer, and nothing else; whose call it is stands elsewhere. */
function hashRequest(exchange: Exchange, payer: string): string {
  return hashParts([...destinationParts(exchange, payer), ...contentParts(exchange)]);
}

/** The same of all but the newest words; undefined where they can't be told apart from the rest. */
function hashContext(exchange: Exchange, payer: string, words: string): string | undefined {
  const asked = contentParts(exchange, words);
  return asked.includes(undefined) ? undefined : hashParts([...destinationParts(exchange, payer), ...asked]);
}

function hashParts(parts: readonly unknown[]): string {
  return hash('sha256', canonicalJson(parts), 'base64url');
}

function destinationParts({ target: { provider, model } }: Exchange, payer: string): readonly string[] {
  return [provider.name, provider.baseUrl, model, payer];
}

/**
 * What every format can say is the same in all of them. As soon as there is a field that isn't on the short list of a format,
 * known or not, it is the whole body that counts. `words` are left out.
 */
function contentParts(exchange: Exchange, words?: string): readonly unknown[] {
  const { clientRequest, isUnmodified } = exchange;
  const { wire, body, bytes, streamed } = clientRequest;
  const exact = exactBody(body, bytes);
  // Which version of its API a client knows says how an answer is laid out, and is seen to where one is found.
  const isBare =
    significantQueryOf(clientRequest) === '' && apiHeadersIn(clientRequest, wire.ownHeaders) === '';
  if (isBare && exact === body && wire.isPlain(body))
    return [canonicalFields(exchange, words), isStoredByProvider(exchange) ? wire.name : null];
  const asked = significantFields(exact, wire.bookkeeping);
  return [
    wire.name,
    significantQueryOf(clientRequest),
    apiHeadersIn(clientRequest),
    words === undefined ? asked : removeNewestText(asked, wire.estimates.textFields.at(-1) ?? '', words),
    isUnmodified ? null : canonicalFields(exchange, words),
    canReframe(exchange) ? null : streamed,
  ];
}

/** Of the query, what its provider would be told of it. */
function significantQueryOf({ wire, query }: ClientRequest): string {
  return wire.significantQuery?.(query) ?? query;
}

/** The request in the canonical shape, in one way for all ways of writing it. */
function canonicalFields({ request, clientRequest }: Exchange, words?: string): JsonObject {
  const { system, messages, extensions = {}, ...rest } = request;
  const { bookkeeping } = clientRequest.wire;
  return {
    ...significantFields(rest, ['metadata']),
    ...(system !== undefined && { system: stripCacheControl(blocksOf(system)) }),
    messages: messages.map(({ role, content }, at) => {
      const blocks = blocksOf(content);
      const isNewest = words !== undefined && at === messages.length - 1;
      return [role, stripCacheControl(isNewest ? blocks.slice(0, -1) : blocks)];
    }),
    extensions: Object.entries(extensions)
      .map(([wire, fields]) => [wire, significantFields(fields, bookkeeping)] as const)
      .filter(([, fields]) => Object.keys(fields).length > 0),
  };
}

/** A body without the newest words in the last turn of its conversation; undefined where they don't stand there as they are. */
function removeNewestText(body: JsonObject, conversation: string, words: string): JsonObject | undefined {
  const said = body[conversation];
  const turns: readonly unknown[] = Array.isArray(said) ? said : [said];
  const { value, isFound } = removeLastText(turns.at(-1), words);
  return isFound ? { ...body, [conversation]: [...turns.slice(0, -1), value] } : undefined;
}

const removedText = { newest: true } as const;

/** Without the last string that is `words`. */
function removeLastText(
  value: unknown,
  words: string,
): { readonly value: unknown; readonly isFound: boolean } {
  if (value === words) return { value: removedText, isFound: true };
  if (typeof value !== 'object' || value === null) return { value, isFound: false };
  for (const [field, inner] of Object.entries(value).reverse()) {
    const without = removeLastText(inner, words);
    if (!without.isFound) continue;
    const copy = Array.isArray(value)
      ? value.with(Number(field), without.value)
      : { ...value, [field]: without.value };
    return { value: copy, isFound: true };
  }
  return { value, isFound: false };
}

/** Whether its provider knows the answer by a name that the client may go on from. */
function isStoredByProvider({ target, clientRequest: { wire, fields } }: Exchange): boolean {
  const isSpoken = target.provider.answerLocally === undefined && wiresOf(target).includes(wire);
  return isSpoken && wire.continuation?.isContinuable(fields) === true;
}

function blocksOf<Block>(content: string | readonly Block[]): readonly (Block | TextBlock)[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** The last text of the user's turn, which the call ends with. */
function newestText({ messages }: ChatRequest): string | undefined {
  const last = messages.at(-1);
  if (last?.role !== 'user') return undefined;
  const blocks = blocksOf(last.content);
  const text = blocks.at(-1);
  return text?.type === 'text' && blocks.every(({ type }) => type === 'text') ? text.text : undefined;
}

/** A request without what doesn't change the answer: its framing, bookkeeping and cache markers. */
function significantFields(body: JsonObject, bookkeeping: readonly string[]): JsonObject {
  const aside = new Set(['model', 'stream', 'cache_control', ...bookkeeping]);
  const fields = Object.entries(body).filter(([field]) => !aside.has(field));
  return Object.fromEntries(fields.map(([field, value]) => [field, stripCacheControl(value)]));
}

/** Whether nothing is lost between a stream and a whole answer: what only its own format can say may be. */
function canReframe(exchange: Exchange): boolean {
  return exchange.clientRequest.wire.reframe !== undefined || isFormatIndependent(exchange);
}

/** Whether every format could say what this call says. */
function isFormatIndependent({ request, clientRequest: { wire } }: Exchange): boolean {
  const own = Object.values(request.extensions ?? {}).flatMap((fields) => Object.keys(fields ?? {}));
  return (
    own.every((field) => wire.bookkeeping.includes(field)) &&
    request.tools?.some((tool) => tool.type === 'foreign') !== true
  );
}
