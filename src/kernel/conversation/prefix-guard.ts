import type { Clock } from '../../lib/clock.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { Lru } from '../../lib/lru.ts';
import { scopeOf } from '../caller.ts';
import type { Exchange } from '../exchange.ts';
import { limits } from '../limits.ts';
import type { Prices } from '../ports/prices.ts';
import type { CacheBackend, ScopedCache } from '../ports/scoped-cache.ts';
import { cacheMarksOf } from './cache-marks.ts';
import { suppliedConversationName } from './conversation.ts';
import { digest, digestOfTools } from './digest.ts';
import { findChange, storeLatestCall } from './latest-calls.ts';
import { type BreakReason, nameOfTarget, Prefix, type PrefixState } from './prefix.ts';
import { type SentPrefix, sentPrefixOf } from './sent-prefix.ts';
import { isInThinkingLoop } from './thinking-loop.ts';

export interface PrefixGuardParts {
  readonly cacheBackend: CacheBackend;
  readonly prices: Pick<Prices, 'priceOf'>;
  readonly clock: Clock;
}

/** The record of an answered call, stored under the digest of its conversation. */
interface PrefixRecord {
  readonly name: string;
  /** The target of the client, and the target that the call was sent to. */
  readonly askedOf: string;
  readonly sentTo: string;
  /** A digest of the client's tools. */
  readonly tools: string;
  /** What each editing module passed on. */
  readonly stages: Readonly<Record<string, SentPrefix>>;
  readonly steps: number;
  /** The client's messages before this index lose their thoughts; 0 if undefined. */
  readonly thoughtsFrom?: number;
  /** When the provider's cache expires. */
  readonly untilMs: number;
  /** The digest that the conversation continued with. */
  readonly next?: string;
}

interface PrefixMatch {
  readonly record: PrefixRecord;
  /** The number of messages that the record covers. */
  readonly count: number;
}

/** Tracks the prefix that providers have cached of each conversation. */
export class PrefixGuard {
  readonly #parts: PrefixGuardParts;
  /** How conversations continued, for concurrent branches. */
  readonly #claimedBranches = new Lru<string>(limits.prefixClaimsMax);

  constructor(parts: PrefixGuardParts) {
    this.#parts = parts;
  }

  /**
   * Opens the cached prefix of the call's conversation for the modules that may edit it. If `redactsOnly`, they edit only what must not
   * leave: then the first call of a conversation needs no record, unless it is edited.
   */
  async open(exchange: Exchange, modules: readonly string[], redactsOnly = false): Promise<Prefix> {
    const isFirst = redactsOnly && exchange.request.messages.every(({ role }) => role !== 'assistant');
    const prefixMatch = isFirst ? undefined : await this.#findLatest(exchange);
    const name = await this.#resolveName(exchange, prefixMatch);
    const breakReason = isFirst ? 'first' : await this.#findBreakReason(exchange, prefixMatch, modules);
    exchange.trace.breakReason = breakReason;
    const known = {
      name,
      recordsEditsOnly: isFirst,
      steps: prefixMatch?.record.steps ?? 0,
      next: nextOf(exchange, prefixMatch),
      modules,
      breakReason,
      lastMatch: prefixMatch,
    };
    return new Prefix(
      this.#createState(exchange, breakReason === undefined ? prefixMatch : undefined, known),
    );
  }

  /** State from earlier calls, and from earlier attempts of this call. */
  #createState(
    exchange: Exchange,
    prefixMatch: PrefixMatch | undefined,
    { name, recordsEditsOnly, steps, next, modules, breakReason, lastMatch }: PrefixStateOptions,
  ): PrefixState {
    const sentStages = new Map<string, SentPrefix>();
    let binding: ReadonlyMap<string, SentPrefix> = sentStages;
    const inOrder = (stages: ReadonlyMap<string, SentPrefix>) =>
      Object.fromEntries(
        modules.flatMap((module) => {
          const stage = stages.get(module);
          return stage === undefined ? [] : [[module, stage] as const];
        }),
      );
    const watch = {
      cached: prefixMatch === undefined ? undefined : sentPrefixOf(exchange, prefixMatch.count),
      breakReason,
      stages: prefixMatch?.record.stages ?? {},
      steps,
      sentTo: prefixMatch?.record.sentTo ?? '',
      messages: exchange.request.messages,
      lastSent: {
        client: lastMatch === undefined ? undefined : sentPrefixOf(exchange, lastMatch.count),
        stages: lastMatch?.record.stages ?? {},
      },
      thoughtsFrom: lastMatch?.record.thoughtsFrom ?? 0,
      prices: this.#parts.prices,
      hasEarlierAttempt: false,
      onReplyStart: (sent: Exchange, prefix: Prefix): Promise<void> => {
        if (recordsEditsOnly && Object.keys(prefix.stages).length === 0) return Promise.resolve();
        const isStepped = prefix.stepper !== undefined && prefix.steps !== watch.steps;
        if (isStepped)
          for (const module of modules.slice(modules.indexOf(prefix.stepper))) sentStages.delete(module);
        for (const [module, stage] of Object.entries(prefix.stages))
          sentStages.set(module, shorterPrefix(sentStages.get(module), stage));
        // A retried call starts with the first request, not with what followed its answer.
        if (!watch.hasEarlierAttempt || isStepped) binding = new Map(sentStages);
        watch.cached = sentPrefixOf(exchange);
        watch.stages = inOrder(sentStages);
        watch.steps = prefix.steps;
        watch.thoughtsFrom = prefix.thoughtsFrom;
        watch.hasEarlierAttempt = true;
        watch.sentTo = nameOfTarget(sent.target);
        const latest = storeLatestCall(this.#cache(exchange), exchange, breakReason !== undefined);
        const record = this.#put(exchange, exchange.conversation.digestAt(), {
          name,
          ...(next !== undefined && { next }),
          askedOf: nameOfTarget(exchange.target),
          sentTo: watch.sentTo,
          tools: digestOfTools(exchange.request),
          stages: inOrder(binding),
          steps: watch.steps,
          ...(watch.thoughtsFrom > 0 && { thoughtsFrom: watch.thoughtsFrom }),
          untilMs: this.#parts.clock.now() + this.#lifeSeconds(sent) * 1000,
        });
        return Promise.all([record, latest]).then(() => undefined);
      },
    };
    return watch;
  }

  /** Undefined if the provider still has the prefix. */
  async #findBreakReason(
    exchange: Exchange,
    prefixMatch: PrefixMatch | undefined,
    modules: readonly string[],
  ): Promise<BreakReason | undefined> {
    const reason = prefixMatch && this.#breakReasonOf(prefixMatch.record, exchange, modules);
    if (prefixMatch !== undefined && reason !== 'expired') return reason;
    const since = prefixMatch?.count ?? -1;
    return (await findChange(this.#cache(exchange), exchange, since)) ?? reason ?? 'edited';
  }

  /** Signed thinking must be preserved while its tool loop lasts, even if the cache has expired. */
  #breakReasonOf(
    prefixRecord: PrefixRecord,
    { request, target }: Exchange,
    modules: readonly string[],
  ): BreakReason | undefined {
    if (prefixRecord.askedOf !== nameOfTarget(target)) return 'model';
    if (prefixRecord.tools !== digestOfTools(request)) return 'tools';
    let from = 0;
    for (const module of Object.keys(prefixRecord.stages)) {
      const at = modules.indexOf(module, from);
      if (at < 0) return 'edited';
      from = at + 1;
    }
    const isAlive = prefixRecord.untilMs > this.#parts.clock.now() || isInThinkingLoop(request);
    return isAlive ? undefined : 'expired';
  }

  /** Finds the latest record: at the end for a retried call, else before one of its latest answers. */
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

  /** Of several branches, the first keeps the derived name. */
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

  #lifeSeconds({ request, target, clientRequest }: Exchange): number {
    const requested = clientRequest.wire.promptCacheSeconds?.(request);
    if (requested !== undefined) return Math.min(requested, limits.prefixTtlSeconds);
    if (cacheMarksOf(request).hasHour) return hourSeconds;
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
  /** The modules that may edit, in order. */
  readonly modules: readonly string[];
  readonly breakReason: BreakReason | undefined;
  readonly recordsEditsOnly: boolean;
  /** The record of the last call, even if its provider has forgotten the prefix. */
  readonly lastMatch: PrefixMatch | undefined;
}

/** A retried call keeps the continuation of the conversation. */
function nextOf({ request }: Exchange, prefixMatch: PrefixMatch | undefined): string | undefined {
  return prefixMatch?.count === request.messages.length ? prefixMatch.record.next : undefined;
}

const hourSeconds = 3600;

/**
 * Later attempts of a call contain the model's answer, which may differ in another call; so the shorter prefix
 * counts.
 */
function shorterPrefix(before: SentPrefix | undefined, now: SentPrefix): SentPrefix {
  if (before === undefined || before.tools !== now.tools || before.system !== now.system) return now;
  return before.count < now.count ? before : now;
}

function parsePrefixRecord(bytes: Uint8Array | undefined): PrefixRecord | undefined {
  if (bytes === undefined) return undefined;
  const read: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
  return isJsonObject(read) && isPrefixRecord(read) ? read : undefined;
}

/** Whether it was written by a version with the same fields. */
function isPrefixRecord(read: JsonObject): read is JsonObject & PrefixRecord {
  return typeof read.untilMs === 'number' && isJsonObject(read.stages) && typeof read.sentTo === 'string';
}

/** The cache name for a tenant. */
export function prefixCacheScope(scope: string): string {
  return `conversations\n${scope}`;
}
