import { hash, randomBytes } from 'node:crypto';
import { KeyedNames } from '../accounts/keyed-names.ts';
import { credentialsOf, type Exchange } from '../kernel/exchange.ts';
import { canonicalJson, exactBody, type JsonObject } from '../kernel/json.ts';
import { limits } from '../kernel/limits.ts';
import { Lru } from '../kernel/lru.ts';
import type { ChatRequest, TextBlock } from '../kernel/message.ts';
import type { Setting } from '../kernel/module.ts';
import { type Provider, wiresOf } from '../kernel/provider.ts';
import type { Received } from '../kernel/received.ts';
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
    const payer = credential?.fingerprint(this.#nameKey) ?? '';
    return { name: settingOf(exchange, payer), text };
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

function variantsIn(received: Received): string {
  let variants = '';
  for (const name of received.wire.variantHeaders) variants += `${received.header(name) ?? ''}\n`;
  return variants;
}

/** Everything that can change the answer, and nothing else; whose call it is stands elsewhere. */
function named(exchange: Exchange, payer: string): string {
  const { target, received } = exchange;
  const { wire, body, bytes, streamed } = received;
  const parts = [
    target.provider.name,
    target.provider.baseUrl,
    target.model,
    payer,
    wire.name,
    queryOf(received),
    wire.variantHeaders.map((name) => received.header(name) ?? ''),
    meaning(exactBody(body, bytes), wire.bookkeeping),
    exchange.untouched ? null : meaning({ ...exchange.request }, ['metadata']),
    reframes(exchange) ? null : streamed,
  ];
  return hash('sha256', canonicalJson(parts), 'base64url');
}

/** Of the query, what its provider would be told of it. */
function queryOf({ wire, query }: Received): string {
  return wire.meantBy?.(query) ?? query;
}

/** In whatever format it came, where nothing in it belongs to one. */
function settingOf(exchange: Exchange, payer: string): string {
  const { target, received, request } = exchange;
  const { wire, streamed } = received;
  const query = queryOf(received);
  const { extensions, messages, system, ...rest } = request;
  const variants = variantsOf(received);
  const isPlain = query === '' && variants.length === 0 && saysNothingOwn(exchange);
  const parts = [
    target.provider.name,
    target.provider.baseUrl,
    target.model,
    payer,
    meaning(rest, ['metadata']),
    unmarked(blocksOf(system ?? [])),
    messages.map(({ role, content }, at) => {
      const blocks = blocksOf(content);
      return [role, unmarked(at === messages.length - 1 ? blocks.slice(0, -1) : blocks)];
    }),
    isPlain ? null : [wire.name, query, variants, meaning({ ...extensions?.[wire.name] }, wire.bookkeeping)],
    isPlain && !isKeptThere(exchange) ? null : [wire.name, streamed],
  ];
  return hash('sha256', canonicalJson(parts), 'base64url');
}

/** Headers that change what the answer means; those that every caller sends say how it is laid out. */
function variantsOf(received: Received): readonly string[] {
  const { variantHeaders, ownHeaders } = received.wire;
  return variantHeaders
    .filter((name) => !ownHeaders.includes(name) && received.header(name) !== undefined)
    .map((name) => `${name}: ${received.header(name)}`);
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
  return exchange.received.wire.continuation === undefined && saysNothingOwn(exchange);
}

/** Whether every format could say what this call says. */
function saysNothingOwn({ request, received: { wire } }: Exchange): boolean {
  const own = Object.values(request.extensions ?? {}).flatMap((fields) => Object.keys(fields ?? {}));
  return (
    own.every((field) => wire.bookkeeping.includes(field)) &&
    request.tools?.some((tool) => tool.type === 'foreign') !== true
  );
}
