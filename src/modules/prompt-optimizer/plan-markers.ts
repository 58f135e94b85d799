import { chooseWire, type Exchange, type Kit } from '../../module-api.ts';
import type { IdentifiedCall, Recollection } from './call-memory.ts';
import type { CallRecord } from './call-record.ts';
import { cachePricesOf, paysForAnHour, paysToWrite } from './lifetime.ts';
import { longLifeMs, shortLifeMs } from './limits.ts';
import type { PromptOptimizerOptions } from './options.ts';
import type { MarkerPlan } from './place-markers.ts';
import {
  type ConversationSoFar,
  expectContinuation,
  expectedCount,
  expectRepeatedHead,
  type ObservedCall,
} from './traffic.ts';

/** The pauses of the conversation, with the one before this call. */
export function pausesOf(last: CallRecord | undefined, nowMs: number): ConversationSoFar {
  if (last === undefined) return { pauses: 0, short: 0, long: 0 };
  const pauseMs = nowMs - last.atMs;
  const isShort = pauseMs <= shortLifeMs;
  return {
    pauses: last.calls,
    short: last.short + (isShort ? 1 : 0),
    long: last.long + (!isShort && pauseMs <= longLifeMs ? 1 : 0),
  };
}

/** Whether the target caches only what is marked. */
export function needsMarkers({ target, clientRequest }: Exchange): boolean {
  return chooseWire(target, clientRequest.wire)?.needsCacheMarkers?.(target.model) === true;
}

/** Undefined if the provider needs no markers; a plan without any if they are expected not to pay. */
export function planMarkers(
  exchange: Exchange,
  { last, traffic }: Recollection,
  observed: ObservedCall & { readonly isShared: boolean },
  { options, catalog }: Pick<Kit<PromptOptimizerOptions>, 'options' | 'catalog'>,
): MarkerPlan | undefined {
  const pricing = catalog.priceOf(exchange.target);
  const prices = pricing === undefined ? undefined : cachePricesOf(pricing.card);
  if (prices === undefined || options.markers === 'off' || !needsMarkers(exchange)) return undefined;
  const soFar = pausesOf(last, observed.atMs);
  const continuation = expectContinuation(traffic, soFar);
  const isAlive = last?.lifetime != null && observed.atMs - last.atMs <= lifeMs[last.lifetime];
  const lifetime = chooseLifetime();
  const isHour = lifetime === '1h';
  const reads = expectedCount(continuation.short + (isHour ? continuation.long : 0));
  const isContinued = paysToWrite(reads, isHour ? prices.writeHour : prices.write, prices);
  const isRepeated = paysToWrite(expectedCount(expectRepeatedHead(traffic, observed)), prices.write, prices);
  return {
    newest: isContinued,
    previous: isContinued || isAlive,
    head: isContinued || isAlive || isRepeated,
    isShared: observed.isShared,
    marksOwnPiece: isContinued || isAlive,
    lifetime: isContinued || isAlive ? lifetime : '5m',
  };

  function chooseLifetime(): '5m' | '1h' {
    // A budget was held for this call without the price of an hour.
    if (exchange.costBound !== undefined) return '5m';
    if (options.ttl !== 'auto') return options.ttl;
    if (isAlive && last?.lifetime != null) return last.lifetime;
    if (pricing?.hasHourCache !== true) return '5m';
    return prices !== undefined && paysForAnHour(soFar, continuation, prices) ? '1h' : '5m';
  }
}

const lifeMs = { '5m': shortLifeMs, '1h': longLifeMs } as const;

/**
 * A name for calls that should share a cache: those with the same tools, which come first in a prompt, or without tools the same
 * start of instructions. A finer name would keep conversations from what they have in common.
 */
export function cacheKeyOf(exchange: Exchange, { tools, system }: IdentifiedCall): string | undefined {
  const { target, clientRequest, request } = exchange;
  if (target.provider.takesCacheKey !== true) return undefined;
  const wire = chooseWire(target, clientRequest.wire)?.name ?? '';
  if (request.extensions?.[wire]?.prompt_cache_key !== undefined) return undefined;
  return tools.list.length > 0 ? tools.set : system.start;
}
