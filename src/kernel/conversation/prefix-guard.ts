import { scopeOf } from '../caller.ts';
import type { Clock } from '../clock.ts';
import type { Exchange } from '../exchange.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import { Lru } from '../lru.ts';
import type { ChatRequest } from '../message.ts';
import type { Prices } from '../ports/prices.ts';
import type { CacheBackend, ScopedCache } from '../ports/scoped-cache.ts';
import { type Conversation, suppliedConversationName } from './conversation.ts';
import { digest, digestOfTools } from './digest.ts';
import { nameOfTarget, Prefix, type PrefixState } from './prefix.ts';
import { requestsHourCacheTtl } from './prefix-step.ts';
import { type SentPrefix, sentPrefixOf } from './sent-prefix.ts';
import { isInThinkingLoop } from './thinking-loop.ts';

export interface PrefixGuardParts {
  readonly cacheBackend: CacheBackend;
  readonly prices: Pick<Prices, 'priceOf'>;
  readonly clock: Clock;
}

/** What is known of a call that a provider began to answer, at the place that its conversation had come to. */
interface PrefixRecord {
  readonly name: string;
  /** Where the client sent it, and where it went. */
  readonly askedOf: string;
  readonly sentTo: string;
  /** The client's. */
  readonly tools: string;
  /** What left each module that edited it. */
  readonly stages: Readonly<Record<string, SentPrefix>>;
  readonly steps: number;
  /** Until when the provider keeps it. */
  readonly untilMs: number;
  /** The place that the conversation went on to. */
  readonly next?: string;
}

interface PrefixMatch {
  readonly record: PrefixRecord;
  /** How many of the messages it had. */
  readonly count: number;
}

/** Knows what providers were sent last in each conversation. */
export class PrefixGuard {
  readonly #parts: PrefixGuardParts;
  /** Where conversations went on to, for those that part at the same moment. */
  readonly #claimedBranches = new Lru<string>(limits.prefixClaimsMax);
  /** As they came last, so that not all of them is hashed with every call. */
  readonly #latestConversations = new Lru<Conversation>(limits.prefixConversationsMax);

  constructor(parts: PrefixGuardParts) {
    this.#parts = parts;
  }

  /** What is kept of the conversation of a call that these modules may edit. */
  async open(exchange: Exchange, modules: readonly string[]): Promise<Prefix> {
    this.#reuseDigests(exchange);
    const prefixMatch = await this.#findLatest(exchange);
    const name = await this.#resolveName(exchange, prefixMatch);
    const isKept = prefixMatch !== undefined && this.#isStillCached(prefixMatch.record, exchange, modules);
    const known = {
      name,
      steps: prefixMatch?.record.steps ?? 0,
      next: nextOf(exchange, prefixMatch),
      modules,
    };
    return new Prefix(this.#createState(exchange, isKept ? prefixMatch : undefined, known));
  }

  #reuseDigests({ caller, conversation, clientRequest }: Exchange): void {
    const { byteLength } = clientRequest.bytes;
    if (byteLength < limits.comparedBodyBytesMin || byteLength > limits.comparedBodyBytesMax) return;
    const name = `${scopeOf(caller)}\n${conversation.root}`;
    const before = this.#latestConversations.get(name);
    if (before !== undefined) conversation.reuseDigests(before);
    this.#latestConversations.set(name, conversation);
  }

  /** Knows of the calls before, and of what this one has sent itself where it asks several times. */
  #createState(
    exchange: Exchange,
    prefixMatch: PrefixMatch | undefined,
    { name, steps, next, modules }: PrefixStateOptions,
  ): PrefixState {
    const asked = new Map<string, SentPrefix>();
    let binding: ReadonlyMap<string, SentPrefix> = asked;
    const inOrder = (stages: ReadonlyMap<string, SentPrefix>) =>
      Object.fromEntries(
        modules.flatMap((module) => {
          const stage = stages.get(module);
          return stage === undefined ? [] : [[module, stage] as const];
        }),
      );
    const watch = {
      cached: prefixMatch === undefined ? undefined : sentPrefixOf(exchange, prefixMatch.count),
      stages: prefixMatch?.record.stages ?? {},
      steps,
      sentTo: prefixMatch?.record.sentTo ?? '',
      prices: this.#parts.prices,
      hasEarlierAttempt: false,
      onReplyStart: (sent: Exchange, prefix: Prefix): Promise<void> => {
        const isStepped = prefix.stepper !== undefined && prefix.steps !== watch.steps;
        if (isStepped)
          for (const module of modules.slice(modules.indexOf(prefix.stepper))) asked.delete(module);
        for (const [module, stage] of Object.entries(prefix.stages))
          asked.set(module, shorterPrefix(asked.get(module), stage));
        // A call that is made again begins with the first request, and not with what came of its answer.
        if (!watch.hasEarlierAttempt || isStepped) binding = new Map(asked);
        watch.cached = sentPrefixOf(exchange);
        watch.stages = inOrder(asked);
        watch.steps = prefix.steps;
        watch.hasEarlierAttempt = true;
        watch.sentTo = nameOfTarget(sent.target);
        return this.#put(exchange, exchange.conversation.digestAt(), {
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
  #isStillCached(
    prefixRecord: PrefixRecord,
    { request, target }: Exchange,
    modules: readonly string[],
  ): boolean {
    if (prefixRecord.askedOf !== nameOfTarget(target)) return false;
    if (prefixRecord.tools !== digestOfTools(request)) return false;
    let from = 0;
    for (const module of Object.keys(prefixRecord.stages)) {
      const at = modules.indexOf(module, from);
      if (at < 0) return false;
      from = at + 1;
    }
    return prefixRecord.untilMs > this.#parts.clock.now() || isInThinkingLoop(request);
  }

  /** Where the conversation was last: right here, if a call is made again, else before one of its latest answers. */
  async #findLatest(exchange: Exchange): Promise<PrefixMatch | undefined> {
    const { messages } = exchange.request;
    const counts = [messages.length];
    for (let at = messages.length - 1; at > 0 && counts.length < limits.prefixLookupsMax; at--)
      if (messages[at]?.role === 'assistant') counts.push(at);
    const scopedCache = this.#cache(exchange);
    const heads = await Promise.all(
      counts.map(async (count) =>
        parsePrefixRecord(await scopedCache.get(exchange.conversation.digestAt(count))),
      ),
    );
    const at = heads.findIndex((prefixRecord) => prefixRecord !== undefined);
    const record = heads[at];
    const count = counts[at];
    return record === undefined || count === undefined ? undefined : { record, count };
  }

  /** Of those that go on from the same place, the first keeps the name that was derived for them all. */
  async #resolveName(exchange: Exchange, prefixMatch: PrefixMatch | undefined): Promise<string> {
    const { conversation, clientRequest, trace, request } = exchange;
    if (prefixMatch === undefined || suppliedConversationName(clientRequest) !== undefined)
      return conversation.name;
    const { record, count } = prefixMatch;
    const answered = request.messages.findIndex(({ role }, at) => at > count && role !== 'assistant');
    const mine = conversation.digestAt(answered < 0 ? undefined : answered + 1);
    const place = conversation.digestAt(count);
    if (mine === place) return trace.renameConversation(record.name);
    const claim = `${scopeOf(exchange.caller)}\n${place}`;
    const next = record.next ?? this.#claimedBranches.get(claim) ?? mine;
    if (next !== mine) return trace.renameConversation(`c-${digest([record.name, mine])}`);
    this.#claimedBranches.set(claim, mine);
    if (record.next === undefined) await this.#put(exchange, place, { ...record, next: mine });
    return trace.renameConversation(record.name);
  }

  #lifeSeconds({ request, target }: Exchange): number {
    if (requestsDayCacheTtl(request)) return limits.prefixTtlSeconds;
    if (requestsHourCacheTtl(request)) return hourSeconds;
    return this.#parts.prices.priceOf(target)?.cacheSeconds ?? limits.cacheLifeSeconds;
  }

  async #put(exchange: Exchange, place: string, prefixRecord: PrefixRecord): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(prefixRecord));
    await this.#cache(exchange).put(place, bytes, limits.prefixTtlSeconds);
  }

  #cache({ caller }: Exchange): ScopedCache {
    return this.#parts.cacheBackend.cacheFor(prefixCacheScope(scopeOf(caller)));
  }
}

interface PrefixStateOptions extends Pick<PrefixRecord, 'name' | 'steps'> {
  readonly next: string | undefined;
  /** Those that may edit, in their order. */
  readonly modules: readonly string[];
}

/** A call that is made again doesn't forget where the conversation went on to. */
function nextOf({ request }: Exchange, prefixMatch: PrefixMatch | undefined): string | undefined {
  return prefixMatch?.count === request.messages.length ? prefixMatch.record.next : undefined;
}

const hourSeconds = 3600;

/** In the words of OpenAI's formats, which the canonical shape has none for. */
function requestsDayCacheTtl({ extensions = {} }: ChatRequest): boolean {
  return Object.values(extensions).some((fields) => fields.prompt_cache_retention === '24h');
}

/** Who asks several times in one call goes on from the model's answer, of which another call may get another. */
function shorterPrefix(before: SentPrefix | undefined, now: SentPrefix): SentPrefix {
  if (before === undefined || before.tools !== now.tools || before.system !== now.system) return now;
  return before.count < now.count ? before : now;
}

function parsePrefixRecord(bytes: Uint8Array | undefined): PrefixRecord | undefined {
  if (bytes === undefined) return undefined;
  const read: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
  return isJsonObject(read) && isPrefixRecord(read) ? read : undefined;
}

/** Written by a version that knew the same fields. */
function isPrefixRecord(read: JsonObject): read is JsonObject & PrefixRecord {
  return typeof read.untilMs === 'number' && isJsonObject(read.stages) && typeof read.sentTo === 'string';
}

/** The name of a tenant's shelf. */
export function prefixCacheScope(scope: string): string {
  return `conversations\n${scope}`;
}
