import { hash, randomBytes } from 'node:crypto';
import { KeyedNames } from '../accounts/keyed-names.ts';
import { credentialsOf, type Exchange } from '../kernel/exchange.ts';
import { canonicalJson, exactBody, type JsonObject } from '../kernel/json.ts';
import { limits } from '../kernel/limits.ts';
import { Lru } from '../kernel/lru.ts';
import type { ChatRequest, TextBlock } from '../kernel/message.ts';
import type { Setting } from '../kernel/module.ts';
import { type Provider, wiresOf } from '../kernel/provider.ts';
import { type Received, rawHeadersOf } from '../kernel/received.ts';
import { unmarked } from '../kernel/unmarked.ts';

/** Says which calls are the same question, by a name for everything that can change the answer. */
export class Meanings {
  /** Requests that are the same byte for byte have the same name, which then needn't be worked out again; by their bytes. */
  readonly #known = new Lru<readonly Spelt[]>(limits.meaningsKept);
  /** Names of bytes. The key is this process's own, so that nobody can make two that have the same name. */
  readonly #spellings = new KeyedNames(randomBytes(16));
  /** Makes the names of credentials. */
  readonly #nameKey: Uint8Array;

  constructor(nameKey: Uint8Array) {
    this.#nameKey = nameKey;
  }

  get remembered(): number {
    return this.#known.size;
  }

  async of(exchange: Exchange): Promise<string> {
    const finding = credentialsOf(exchange).find(exchange.target);
    const credential = finding instanceof Promise ? await finding : finding;
    const payer = credential?.fingerprint(this.#nameKey) ?? '';
    if (!exchange.untouched) return named(exchange, payer);
    const spelling = this.#spellings.ofBytes(exchange.received.bytes);
    const alike = this.#known.get(spelling) ?? none;
    for (const one of alike) if (isSpelt(one, exchange, payer)) return one.name;
    const spelt = speltBy(exchange, payer);
    this.#known.set(spelling, [spelt, ...alike.slice(0, limits.meaningsAlikeMax - 1)]);
    return spelt.name;
  }

  /** The same, of all but the newest words of the user; undefined where the newest turn isn't the user's, or is more than text. */
  async setting(exchange: Exchange): Promise<Setting | undefined> {
    const text = newestText(exchange.request);
    if (text === undefined) return undefined;
    const credential = await credentialsOf(exchange).find(exchange.target);
    const name = settingOf(exchange, credential?.fingerprint(this.#nameKey) ?? '', text);
    return name === undefined ? undefined : { name, text };
  }
}

/** All that the meaning of a call is made of besides its bytes, as it came, and its name. */
interface Spelt {
  readonly provider: Provider;
  readonly model: string;
  readonly payer: string;
  readonly wire: string;
  readonly query: string;
  readonly streamed: boolean;
  readonly variants: string;
  readonly name: string;
}

const none: readonly Spelt[] = [];

function speltBy(exchange: Exchange, payer: string): Spelt {
  const { target, received } = exchange;
  const { provider, model } = target;
  const { wire, query, streamed } = received;
  const variants = variantsIn(received);
  return {
    provider,
    model,
    payer,
    wire: wire.name,
    query,
    streamed,
    variants,
    name: named(exchange, payer),
  };
}

/** True only for calls that mean the same. */
function isSpelt(one: Spelt, { target, received }: Exchange, payer: string): boolean {
  return (
    one.payer === payer &&
    one.model === target.model &&
    one.provider === target.provider &&
    one.wire === received.wire.name &&
    one.query === received.query &&
    one.streamed === received.streamed &&
    one.variants === variantsIn(received)
  );
}

/** The headers of its API that it was sent with: all that may change the answer. */
function variantsIn(received: Received, aside: readonly string[] = []): string {
  const { prefix, harmless } = received.wire.apiHeaders;
  const headers = rawHeadersOf(received);
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
function named(exchange: Exchange, payer: string): string {
  return hashed([...whereTo(exchange, payer), ...whatIsAsked(exchange)]);
}

/** The same of all but the newest words; undefined where they can't be told apart from the rest. */
function settingOf(exchange: Exchange, payer: string, words: string): string | undefined {
  const asked = whatIsAsked(exchange, words);
  return asked.includes(undefined) ? undefined : hashed([...whereTo(exchange, payer), ...asked]);
}

function hashed(parts: readonly unknown[]): string {
  return hash('sha256', canonicalJson(parts), 'base64url');
}

function whereTo({ target: { provider, model } }: Exchange, payer: string): readonly string[] {
  return [provider.name, provider.baseUrl, model, payer];
}

/**
 * What every format can say is the same in all of them. As soon as there is a field that isn't on the short list of a format,
 * known or not, it is the whole body that counts. `words` are left out.
 */
function whatIsAsked(exchange: Exchange, words?: string): readonly unknown[] {
  const { received, untouched } = exchange;
  const { wire, body, bytes, streamed } = received;
  const exact = exactBody(body, bytes);
  // Which version of its API a client knows says how an answer is laid out, and is seen to where one is found.
  const isBare = queryOf(received) === '' && variantsIn(received, wire.ownHeaders) === '';
  if (isBare && exact === body && wire.isPlain(body))
    return [canonical(exchange, words), isKeptThere(exchange) ? wire.name : null];
  const asked = meaning(exact, wire.bookkeeping);
  return [
    wire.name,
    queryOf(received),
    variantsIn(received),
    words === undefined ? asked : withoutNewest(asked, wire.estimates.saidIn.at(-1) ?? '', words),
    untouched ? null : canonical(exchange, words),
    reframes(exchange) ? null : streamed,
  ];
}

/** Of the query, what its provider would be told of it. */
function queryOf({ wire, query }: Received): string {
  return wire.meantBy?.(query) ?? query;
}

/** The request in the canonical shape, in one way for all ways of writing it. */
function canonical({ request, received }: Exchange, words?: string): JsonObject {
  const { system, messages, extensions = {}, ...rest } = request;
  const { bookkeeping } = received.wire;
  return {
    ...meaning(rest, ['metadata']),
    ...(system !== undefined && { system: unmarked(blocksOf(system)) }),
    messages: messages.map(({ role, content }, at) => {
      const blocks = blocksOf(content);
      const isNewest = words !== undefined && at === messages.length - 1;
      return [role, unmarked(isNewest ? blocks.slice(0, -1) : blocks)];
    }),
    extensions: Object.entries(extensions)
      .map(([wire, fields]) => [wire, meaning(fields, bookkeeping)] as const)
      .filter(([, fields]) => Object.keys(fields).length > 0),
  };
}

/** A body without the newest words in the last turn of its conversation; undefined where they don't stand there as they are. */
function withoutNewest(body: JsonObject, conversation: string, words: string): JsonObject | undefined {
  const said = body[conversation];
  const turns: readonly unknown[] = Array.isArray(said) ? said : [said];
  const { value, isFound } = withoutLast(turns.at(-1), words);
  return isFound ? { ...body, [conversation]: [...turns.slice(0, -1), value] } : undefined;
}

const nothing = { newest: true } as const;

/** Without the last string that is `words`. */
function withoutLast(value: unknown, words: string): { readonly value: unknown; readonly isFound: boolean } {
  if (value === words) return { value: nothing, isFound: true };
  if (typeof value !== 'object' || value === null) return { value, isFound: false };
  for (const [field, inner] of Object.entries(value).reverse()) {
    const without = withoutLast(inner, words);
    if (!without.isFound) continue;
    const copy = Array.isArray(value)
      ? value.with(Number(field), without.value)
      : { ...value, [field]: without.value };
    return { value: copy, isFound: true };
  }
  return { value, isFound: false };
}

/** Whether its provider knows the answer by a name that the client may go on from. */
function isKeptThere({ target, received: { wire, fields } }: Exchange): boolean {
  const isSpoken = target.provider.local === undefined && wiresOf(target).includes(wire);
  return isSpoken && wire.continuation?.keeps(fields) === true;
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
function meaning(body: JsonObject, bookkeeping: readonly string[]): JsonObject {
  const aside = new Set(['model', 'stream', 'cache_control', ...bookkeeping]);
  const fields = Object.entries(body).filter(([field]) => !aside.has(field));
  return Object.fromEntries(fields.map(([field, value]) => [field, unmarked(value)]));
}

/** Whether nothing is lost between a stream and a whole answer: what only its own format can say may be. */
function reframes(exchange: Exchange): boolean {
  return exchange.received.wire.reframed !== undefined || saysNothingOwn(exchange);
}

/** Whether every format could say what this call says. */
function saysNothingOwn({ request, received: { wire } }: Exchange): boolean {
  const own = Object.values(request.extensions ?? {}).flatMap((fields) => Object.keys(fields ?? {}));
  return (
    own.every((field) => wire.bookkeeping.includes(field)) &&
    request.tools?.some((tool) => tool.type === 'foreign') !== true
  );
}
