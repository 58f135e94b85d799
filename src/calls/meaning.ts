import { hash } from 'node:crypto';
import { credentialsOf, type Exchange } from '../kernel/exchange.ts';
import { canonicalJson, type JsonObject } from '../kernel/json.ts';
import { limits } from '../kernel/limits.ts';
import { Lru } from '../kernel/lru.ts';
import { unmarked } from '../kernel/unmarked.ts';

/** Says which calls are the same question, by a name for everything that can change the answer. */
export class Meanings {
  /** Requests that are the same byte for byte have the same name, which then needn't be worked out again. */
  readonly #known = new Lru<string>(limits.meaningsKept);
  /** Makes the names of credentials. */
  readonly #nameKey: Uint8Array;

  constructor(nameKey: Uint8Array) {
    this.#nameKey = nameKey;
  }

  get remembered(): number {
    return this.#known.size;
  }

  async of(exchange: Exchange): Promise<string> {
    const credential = await credentialsOf(exchange).find(exchange.target);
    const payer = credential?.fingerprint(this.#nameKey) ?? '';
    if (!exchange.untouched) return named(exchange, payer);
    const spelling = spelt(exchange, payer);
    const found = this.#known.get(spelling);
    if (found !== undefined) return found;
    const name = named(exchange, payer);
    this.#known.set(spelling, name);
    return name;
  }
}

/** Everything that can change the answer, and nothing else; whose call it is stands elsewhere. */
function named(exchange: Exchange, payer: string): string {
  const { target, received } = exchange;
  const { wire, query, body, streamed } = received;
  const parts = [
    target.provider.name,
    target.provider.baseUrl,
    target.model,
    payer,
    wire.name,
    query,
    wire.variantHeaders.map((name) => received.header(name) ?? ''),
    meaning(body, wire.bookkeeping),
    exchange.untouched ? null : meaning({ ...exchange.request }, ['metadata']),
    reframes(exchange) ? null : streamed,
  ];
  return hash('sha256', canonicalJson(parts), 'base64url');
}

/** The same only for calls that mean the same: all that their meaning is made of, as it came. */
function spelt({ target, received }: Exchange, payer: string): string {
  const { wire, query, bytes } = received;
  const variants = wire.variantHeaders.map((name) => received.header(name) ?? '').join('\n');
  const { provider, model } = target;
  return `${hash('sha256', bytes, 'base64url')}\n${provider.name}\n${provider.baseUrl}\n${model}\n${payer}\n${wire.name}\n${query}\n${variants}`;
}

/** A request without what doesn't change the answer: its framing, bookkeeping and cache markers. */
function meaning(body: JsonObject, bookkeeping: readonly string[]): JsonObject {
  const aside = new Set(['model', 'stream', 'cache_control', ...bookkeeping]);
  const fields = Object.entries(body).filter(([field]) => !aside.has(field));
  return Object.fromEntries(fields.map(([field, value]) => [field, unmarked(value)]));
}

/** Whether nothing is lost between a stream and a whole answer: what only its own format can say may be. */
function reframes({ request, received }: Exchange): boolean {
  const { wire } = received;
  if (wire.continuation !== undefined) return false;
  const own = Object.values(request.extensions ?? {}).flatMap((fields) => Object.keys(fields ?? {}));
  return (
    own.every((field) => wire.bookkeeping.includes(field)) &&
    request.tools?.some((tool) => tool.type === 'foreign') !== true
  );
}
