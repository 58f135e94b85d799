import type { CallRecord, DepthCounts, Traffic } from './call-record.ts';
import {
  countedCallsMax,
  depthsMax,
  furtherCallsMax,
  longLifeMs,
  recentHeadsMax,
  shortLifeMs,
  trafficWeight,
  unseenCalls,
  unseenHeads,
} from './limits.ts';

/** What a call adds to the statistics. */
export interface ObservedCall {
  readonly atMs: number;
  readonly head: string;
  /** The call that it continues. */
  readonly last: CallRecord | undefined;
}

export function addCall(before: Traffic | undefined, { atMs, head, last }: ObservedCall): Traffic {
  const { calls, repeats, depths } = halved(before ?? noTraffic);
  const recent = (before?.heads ?? []).filter(([, usedAtMs]) => atMs - usedAtMs <= shortLifeMs);
  const others = recent.filter(([other]) => other !== head);
  const isRepeated = others.length < recent.length;
  return {
    atMs,
    heads: [...others, [head, atMs] as [string, number]].slice(-recentHeadsMax),
    calls: calls + 1,
    repeats: repeats + (isRepeated ? 1 : 0),
    depths: addToDepths(depths, last, last === undefined ? 0 : atMs - last.atMs),
  };
}

const noTraffic: Traffic = { atMs: 0, heads: [], calls: 0, repeats: 0, depths: [] };
const noCounts: DepthCounts = { calls: 0, short: 0, long: 0 };

/** Counts the call, and that it continued the last one. */
function addToDepths(
  depths: readonly DepthCounts[],
  last: CallRecord | undefined,
  pauseMs: number,
): DepthCounts[] {
  const own = depthOf(last);
  const before = last === undefined ? -1 : Math.min(last.calls, depthsMax) - 1;
  return Array.from({ length: depthsMax }, (_, depth) => {
    const counts = depths[depth] ?? noCounts;
    const isContinued = depth === before;
    return {
      calls: counts.calls + (depth === own ? 1 : 0),
      short: counts.short + (isContinued && pauseMs <= shortLifeMs ? 1 : 0),
      long: counts.long + (isContinued && pauseMs > shortLifeMs && pauseMs <= longLifeMs ? 1 : 0),
    };
  });
}

/** The index of a call's depth: how many calls its conversation had before. */
function depthOf(last: CallRecord | undefined): number {
  return Math.min(last?.calls ?? 0, depthsMax - 1);
}

function halved(traffic: Traffic): Traffic {
  if (traffic.calls < countedCallsMax) return traffic;
  const half = ({ calls, short, long }: DepthCounts) => ({
    calls: calls / 2,
    short: short / 2,
    long: long / 2,
  });
  return {
    ...traffic,
    calls: traffic.calls / 2,
    repeats: traffic.repeats / 2,
    depths: traffic.depths.map(half),
  };
}

/** The chances that a conversation goes on after a short pause, after a long one, and at all. */
export interface Continuation {
  readonly short: number;
  readonly long: number;
}

/** `traffic` is without this call. What the conversation itself has done counts more with every call. */
export function expectContinuation(
  traffic: Traffic | undefined,
  conversation: ConversationSoFar,
): Continuation {
  const { pauses, short, long } = conversation;
  const counts = traffic?.depths[Math.min(pauses, depthsMax - 1)] ?? noCounts;
  const share = (count: number) => count / (counts.calls + unseenCalls);
  const chance = (own: number, ofOthers: number) =>
    (own + trafficWeight * ofOthers) / (pauses + trafficWeight);
  return { short: chance(short, share(counts.short)), long: chance(long, share(counts.long)) };
}

/** The pauses of a conversation up to this call. */
export interface ConversationSoFar {
  readonly pauses: number;
  readonly short: number;
  readonly long: number;
}

/** The chance that a further call has the same tools and instructions, in this conversation or in another. */
export function expectRepeatedHead(traffic: Traffic | undefined, call: ObservedCall): number {
  const { calls, repeats } = addCall(traffic, call);
  return repeats / (calls + unseenHeads);
}

/** The expected number of further events, if each is followed by another with this chance. */
export function expectedCount(chance: number): number {
  return chance >= 1 ? furtherCallsMax : Math.min(furtherCallsMax, chance / (1 - chance));
}
