import { hash } from 'node:crypto';
import { type ClientRequest, rawHeadersOf } from '../kernel/client-request.ts';
import { digestOfItem, isMessageOnly } from '../kernel/conversation/digest.ts';
import { stripCacheControl } from '../kernel/conversation/strip-cache-control.ts';
import type { Exchange } from '../kernel/exchange.ts';
import type { TextBlock } from '../kernel/message.ts';
import { wiresOf } from '../kernel/provider.ts';
import type { RelayRequest } from '../kernel/relay.ts';
import { canonicalJson, type JsonObject } from '../lib/json.ts';
import { Lru } from '../lib/lru.ts';
import { limits } from './limits.ts';

/** Reads the content of requests, item by item: what was hashed for an earlier call is recognised by its digest. */
export class ContentHasher {
  /** Hashes that don't depend on the order of keys, by the digests of items as they are written. */
  readonly #known = new Lru<string>(limits.knownItemsMax);
  /** The same by the items themselves: those of a recent call are the same objects. */
  readonly #knownItems = new WeakMap<object, string>();

  /**
   * Uses the canonical request if every format can express it. If the body has any field that isn't on the format's
   * short list, known or not, it uses the whole body. Leaves `words` out; undefined where they can't be separated.
   */
  partsOf(exchange: Exchange, words?: string): readonly unknown[] {
    const { clientRequest, isUnmodified } = exchange;
    const { wire, body, exactBody, streamed } = clientRequest;
    // The API version changes only the layout of an answer, which is checked when a cached answer is found.
    const isBare =
      significantQueryOf(clientRequest) === '' && apiHeadersIn(clientRequest, wire.ownHeaders) === '';
    if (isBare && exactBody === body && wire.isPlain(body))
      return [this.#canonicalFields(exchange, words), isStoredByProvider(exchange) ? wire.name : null];
    const conversation = wire.estimates.textFields.at(-1) ?? '';
    const asked = words === undefined ? exactBody : removeNewestText(exactBody, conversation, words);
    return [
      wire.name,
      significantQueryOf(clientRequest),
      apiHeadersIn(clientRequest),
      asked && this.#significantFields(asked, wire.bookkeeping),
      isUnmodified ? null : this.#canonicalFields(exchange, words),
      canReframe(exchange) ? null : streamed,
    ];
  }

  /** Everything in a call without a canonical form but its inputs, if its route has a list of them. */
  relayPartsOf({ clientRequest }: Exchange, { route, changes }: RelayRequest): readonly unknown[] {
    if (route.body !== 'json') throw new Error('a call whose body is streamed has no request key');
    const { wire, query, exactBody } = clientRequest;
    const inputs = Object.keys(route.inputList?.fieldsFor([]) ?? {});
    const fields = this.#significantFields({ ...exactBody, ...changes }, [...wire.bookkeeping, ...inputs]);
    return [wire.name, query, apiHeadersIn(clientRequest), fields];
  }

  /** The canonical request, independent of how it was written. */
  #canonicalFields({ request, clientRequest }: Exchange, words?: string): JsonObject {
    const { system, messages, extensions = {}, ...rest } = request;
    const { bookkeeping } = clientRequest.wire;
    return {
      ...this.#significantFields(rest, ['metadata']),
      ...(system !== undefined && { system: stripCacheControl(blocksOf(system)) }),
      messages: this.#hashAll(
        messages.map((message, at) => {
          const { role, content } = message;
          if (words !== undefined && at === messages.length - 1)
            return { role, content: blocksOf(content).slice(0, -1) };
          return isMessageOnly(message) ? message : { role, content };
        }),
      ),
      extensions: Object.entries(extensions)
        .map(([wire, fields]) => [wire, this.#significantFields(fields, bookkeeping)] as const)
        .filter(([, fields]) => Object.keys(fields).length > 0),
    };
  }

  /** The request without fields that don't change the answer: framing, bookkeeping and cache markers. */
  #significantFields(body: JsonObject, bookkeeping: readonly string[]): JsonObject {
    const excluded = new Set(['model', 'stream', 'cache_control', ...bookkeeping]);
    const fields = Object.entries(body).filter(([field]) => !excluded.has(field));
    return Object.fromEntries(
      fields.map(([field, value]) => [
        field,
        Array.isArray(value) ? this.#hashAll(value) : stripCacheControl(value),
      ]),
    );
  }

  /** A list of one text, which no other value equals: the hashes of objects and lists, each in a list, and other values as they are. */
  #hashAll(items: readonly unknown[]): readonly string[] {
    return [JSON.stringify(items.map((item) => (isContainer(item) ? [this.#hashOf(item)] : item)))];
  }

  #hashOf(item: object): string {
    const before = this.#knownItems.get(item);
    if (before !== undefined) return before;
    const digest = digestOfItem(item);
    const known = this.#known.get(digest) ?? hashParts([stripCacheControl(withBlocks(item))]);
    this.#known.set(digest, known);
    this.#knownItems.set(item, known);
    return known;
  }
}

export function hashParts(parts: readonly unknown[]): string {
  return hash('sha256', canonicalJson(parts), 'base64url');
}

/** The request headers of the format's API that may change the answer. */
export function apiHeadersIn(clientRequest: ClientRequest, excluded: readonly string[] = []): string {
  const { prefix, harmless } = clientRequest.wire.apiHeaders;
  const headers = rawHeadersOf(clientRequest);
  let variants = '';
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? '';
    // The first letter, in either case, rules out most headers.
    if ((name.charCodeAt(0) | 32) !== prefix.charCodeAt(0)) continue;
    const lower = name.toLowerCase();
    if (!lower.startsWith(prefix) || harmless.includes(lower) || excluded.includes(lower)) continue;
    variants += `${lower}: ${headers[at + 1]}\n`;
  }
  return variants;
}

function isContainer(item: unknown): item is object {
  return typeof item === 'object' && item !== null && !JSON.isRawJSON(item);
}

/** A text means the same alone as in a block. */
function withBlocks(item: object): object {
  if (!isMessageOnly(item)) return item;
  return { role: item.role, content: blocksOf(item.content) };
}

/** The query parameters that the provider would get. */
function significantQueryOf({ wire, query }: ClientRequest): string {
  return wire.significantQuery?.(query) ?? query;
}

/** The body without the newest text in its last turn; undefined if the text isn't there verbatim. */
function removeNewestText(body: JsonObject, conversation: string, words: string): JsonObject | undefined {
  const items = body[conversation];
  const turns: readonly unknown[] = Array.isArray(items) ? items : [items];
  const { value, isFound } = removeLastText(turns.at(-1), words);
  return isFound ? { ...body, [conversation]: [...turns.slice(0, -1), value] } : undefined;
}

const removedText = { newest: true } as const;

/** Removes the last string equal to `words`. */
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

/** Whether the provider stores the answer under an id that the client may continue from. */
function isStoredByProvider({ target, clientRequest: { wire, fields } }: Exchange): boolean {
  const isSpoken = target.provider.answerLocally === undefined && wiresOf(target).includes(wire);
  return isSpoken && wire.continuation?.isContinuable(fields) === true;
}

export function blocksOf<Block>(content: string | readonly Block[]): readonly (Block | TextBlock)[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** Whether a stream and a whole answer are interchangeable; not so for what only its own format can express. */
function canReframe(exchange: Exchange): boolean {
  return exchange.clientRequest.wire.reframe !== undefined || isFormatIndependent(exchange);
}

/** Whether every format can express this call. */
function isFormatIndependent({ request, clientRequest: { wire } }: Exchange): boolean {
  const own = Object.values(request.extensions ?? {}).flatMap((fields) => Object.keys(fields ?? {}));
  return (
    own.every((field) => wire.bookkeeping.includes(field)) &&
    request.tools?.some((tool) => tool.type === 'foreign') !== true
  );
}
