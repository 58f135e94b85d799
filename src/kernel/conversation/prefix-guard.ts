import { scopeOf } from '../caller.ts';
import type { Clock } from '../clock.ts';
import type { Exchange } from '../exchange.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import { Lru } from '../lru.ts';
import type { ChatRequest } from '../message.ts';
import type { Prices } from '../ports/prices.ts';
import type { Shelf, Shelves } from '../ports/shelves.ts';
import { broughtName, type Conversation } from './conversation.ts';
import { digest, digestOfTools } from './digest.ts';
import { nameOfTarget, Prefix, type Watch } from './prefix.ts';
import { type Sent, sentIn } from './sent.ts';
import { asksForAnHour } from './step.ts';
import { isInThinkingLoop } from './thinking-loop.ts';

export interface PrefixGuardParts {
  readonly shelves: Shelves;
  readonly prices: Pick<Prices, 'priced'>;
  readonly clock: Clock;
}

/** What is known of a call that a provider began to answer, at the place that its conversation had come to. */
interface Head {
  readonly name: string;
  /** Where the client sent it, and where it went. */
  readonly askedOf: string;
  readonly sentTo: string;
  /** The client's. */
  readonly tools: string;
  /** What left each module that edited it. */
  readonly stages: Readonly<Record<string, Sent>>;
  readonly steps: number;
  /** Until when the provider keeps it. */
  readonly untilMs: number;
  /** The place that the conversation went on to. */
  readonly next?: string;
}

interface Found {
  readonly head: Head;
  /** How many of the messages it had. */
  readonly count: number;
}

/** Knows what providers were sent last in each conversation. */
export class PrefixGuard {
  readonly #parts: PrefixGuardParts;
  /** Where conversations went on to, for those that part at the same moment. */
  readonly #claimed = new Lru<string>(limits.prefixClaimsKept);
  /** As they came last, so that not all of them is hashed with every call. */
  readonly #latestOf = new Lru<Conversation>(limits.prefixConversationsKept);

  constructor(parts: PrefixGuardParts) {
    this.#parts = parts;
  }

  /** What is kept of the conversation of a call that these modules may edit. */
  async open(exchange: Exchange, modules: readonly string[]): Promise<Prefix> {
    this.#recognise(exchange);
    const found = await this.#latest(exchange);
    const name = await this.#nameOf(exchange, found);
    const isKept = found !== undefined && this.#isKept(found.head, exchange, modules);
    const known = { name, steps: found?.head.steps ?? 0, next: nextOf(exchange, found), modules };
    return new Prefix(this.#watch(exchange, isKept ? found : undefined, known));
  }

  #recognise({ caller, conversation, received }: Exchange): void {
    const { byteLength } = received.bytes;
    if (byteLength < limits.recognisedBytesMin || byteLength > limits.recognisedBytesMax) return;
    const name = `${scopeOf(caller)}\n${conversation.root}`;
    const before = this.#latestOf.get(name);
    if (before !== undefined) conversation.recognise(before);
    this.#latestOf.set(name, conversation);
  }

  /** Knows of the calls before, and of what this one has sent itself where it asks several times. */
  #watch(exchange: Exchange, found: Found | undefined, { name, steps, next, modules }: Known): Watch {
    const asked = new Map<string, Sent>();
    let binding: ReadonlyMap<string, Sent> = asked;
    const inOrder = (stages: ReadonlyMap<string, Sent>) =>
      Object.fromEntries(
        modules.flatMap((module) => {
          const stage = stages.get(module);
          return stage === undefined ? [] : [[module, stage] as const];
        }),
      );
    const watch = {
      kept: found === undefined ? undefined : sentIn(exchange, found.count),
      stages: found?.head.stages ?? {},
      steps,
      sentTo: found?.head.sentTo ?? '',
      prices: this.#parts.prices,
      isFurther: false,
      begun: (sent: Exchange, prefix: Prefix): Promise<void> => {
        const isStepped = prefix.stepper !== undefined && prefix.steps !== watch.steps;
        if (isStepped)
          for (const module of modules.slice(modules.indexOf(prefix.stepper))) asked.delete(module);
        for (const [module, stage] of Object.entries(prefix.stages))
          asked.set(module, earliest(asked.get(module), stage));
        // A call that is made again begins with the first request, and not with what came of its answer.
        if (!watch.isFurther || isStepped) binding = new Map(asked);
        watch.kept = sentIn(exchange);
        watch.stages = inOrder(asked);
        watch.steps = prefix.steps;
        watch.isFurther = true;
        watch.sentTo = nameOfTarget(sent.target);
        return this.#put(exchange, exchange.conversation.at(), {
          name,
          ...(next !== undefined && { next }),
          askedOf: nameOfTarget(exchange.target),
          sentTo: watch.sentTo,
          tools: digestOfTools(exchange.request),
          stages: inOrder(binding),
          steps: watch.steps,
          untilMs: this.#parts.clock.now() + this.#lifeSeconds(sent) * 1000,
        });
      },
    };
    return watch;
  }

  /** A thought that is signed outlives any cache while its loop goes on. */
  #isKept(head: Head, { request, target }: Exchange, modules: readonly string[]): boolean {
    if (head.askedOf !== nameOfTarget(target)) return false;
    if (head.tools !== digestOfTools(request)) return false;
    let from = 0;
    for (const module of Object.keys(head.stages)) {
      const at = modules.indexOf(module, from);
      if (at < 0) return false;
      from = at + 1;
    }
    return head.untilMs > this.#parts.clock.now() || isInThinkingLoop(request);
  }

  /** Where the conversation was last: right here, if a call is made again, else before one of its latest answers. */
  async #latest(exchange: Exchange): Promise<Found | undefined> {
    const { messages } = exchange.request;
    const counts = [messages.length];
    for (let at = messages.length - 1; at > 0 && counts.length < limits.prefixPlacesAsked; at--)
      if (messages[at]?.role === 'assistant') counts.push(at);
    const shelf = this.#shelf(exchange);
    const heads = await Promise.all(
      counts.map(async (count) => headIn(await shelf.get(exchange.conversation.at(count)))),
    );
    const at = heads.findIndex((head) => head !== undefined);
    const head = heads[at];
    const count = counts[at];
    return head === undefined || count === undefined ? undefined : { head, count };
  }

  /** Of those that go on from the same place, the first keeps the name that was derived for them all. */
  async #nameOf(exchange: Exchange, found: Found | undefined): Promise<string> {
    const { conversation, received, trace, request } = exchange;
    if (found === undefined || broughtName(received) !== undefined) return conversation.name;
    const { head, count } = found;
    const answered = request.messages.findIndex(({ role }, at) => at > count && role !== 'assistant');
    const mine = conversation.at(answered < 0 ? undefined : answered + 1);
    const place = conversation.at(count);
    if (mine === place) return trace.isNamed(head.name);
    const claim = `${scopeOf(exchange.caller)}\n${place}`;
    const next = head.next ?? this.#claimed.get(claim) ?? mine;
    if (next !== mine) return trace.isNamed(`c-${digest([head.name, mine])}`);
    this.#claimed.set(claim, mine);
    if (head.next === undefined) await this.#put(exchange, place, { ...head, next: mine });
    return trace.isNamed(head.name);
  }

  #lifeSeconds({ request, target }: Exchange): number {
    if (asksForADay(request)) return limits.prefixKeptSeconds;
    if (asksForAnHour(request)) return hourSeconds;
    return this.#parts.prices.priced(target)?.cacheSeconds ?? limits.cacheLifeSeconds;
  }

  async #put(exchange: Exchange, place: string, head: Head): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(head));
    await this.#shelf(exchange).put(place, bytes, limits.prefixKeptSeconds);
  }

  #shelf({ caller }: Exchange): Shelf {
    return this.#parts.shelves.shelf(prefixShelf(scopeOf(caller)));
  }
}

interface Known extends Pick<Head, 'name' | 'steps'> {
  readonly next: string | undefined;
  /** Those that may edit, in their order. */
  readonly modules: readonly string[];
}

/** A call that is made again doesn't forget where the conversation went on to. */
function nextOf({ request }: Exchange, found: Found | undefined): string | undefined {
  return found?.count === request.messages.length ? found.head.next : undefined;
}

const hourSeconds = 3600;

/** In the words of OpenAI's formats, which the canonical shape has none for. */
function asksForADay({ extensions = {} }: ChatRequest): boolean {
  return Object.values(extensions).some((fields) => fields.prompt_cache_retention === '24h');
}

/** Who asks several times in one call goes on from the model's answer, of which another call may get another. */
function earliest(before: Sent | undefined, now: Sent): Sent {
  if (before === undefined || before.tools !== now.tools || before.system !== now.system) return now;
  return before.count < now.count ? before : now;
}

function headIn(bytes: Uint8Array | undefined): Head | undefined {
  if (bytes === undefined) return undefined;
  const read: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
  return isJsonObject(read) && isHead(read) ? read : undefined;
}

/** Written by a version that knew the same fields. */
function isHead(read: JsonObject): read is JsonObject & Head {
  return typeof read.untilMs === 'number' && isJsonObject(read.stages) && typeof read.sentTo === 'string';
}

/** The name of a tenant's shelf. */
export function prefixShelf(scope: string): string {
  return `conversations\n${scope}`;
}
