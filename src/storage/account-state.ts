import { limits as kernelLimits } from '../kernel/limits.ts';
import type { Allowance, InFlightCalls, SlotDecision } from '../kernel/ports/shared-state.ts';
import { limits } from './limits.ts';

/** The version of an account and the counts of its calls: plain data, in memory or in a shared document. */
export interface AccountState {
  version: string;
  /** Usually one; two around the end of a period. */
  counts: readonly PeriodCount[];
  givenBack: number;
  givenBackUntilMs: number;
}

/** One account's calls in one period. */
interface PeriodCount {
  readonly periodStartMs: number;
  readonly untilMs: number;
  used: number;
  /** By process. */
  readonly inFlight: Record<string, InFlightEntry>;
}

interface InFlightEntry {
  calls: number;
  untilMs: number;
}

interface AccountChange {
  readonly allowance: Allowance;
  readonly nowMs: number;
}

interface InFlightChange extends AccountChange {
  readonly inFlightCalls?: InFlightCalls | undefined;
}

export function createAccountState(version: string): AccountState {
  return { version, counts: [], givenBack: 0, givenBackUntilMs: 0 };
}

export function takeSlot(
  state: AccountState,
  { allowance, inFlightCalls, nowMs }: InFlightChange,
): SlotDecision {
  const { periodStartMs, limit, givenBackMax } = allowance;
  const { version } = state;
  if (state.givenBack >= givenBackMax) {
    const leftMs = state.givenBackUntilMs - nowMs;
    if (leftMs > 0) return { outcome: 'failing', retryAfterSeconds: Math.ceil(leftMs / 1000), version };
  }
  const count = findCount(state, periodStartMs, nowMs);
  if (count === undefined) return { outcome: 'uncounted', version };
  if (count.used >= limit) {
    if (inFlightCalls !== undefined)
      recordInFlight(count, { ...inFlightCalls, calls: inFlightCalls.calls - 1 }, nowMs);
    return { outcome: 'full', used: count.used, held: countInFlight(count, nowMs), version };
  }
  if (inFlightCalls !== undefined) recordInFlight(count, inFlightCalls, nowMs);
  return { outcome: 'granted', used: ++count.used, version };
}

/** Takes further slots after `takeSlot` granted one. */
export function takeMoreSlots(state: AccountState, { allowance, nowMs }: AccountChange, calls: number): void {
  const count = findCount(state, allowance.periodStartMs, nowMs);
  if (count !== undefined) count.used += calls;
}

/** Releases slots of calls that were never made. */
export function releaseSlots(state: AccountState, { allowance, nowMs }: AccountChange, calls: number): void {
  const count = findCount(state, allowance.periodStartMs, nowMs);
  if (count !== undefined) count.used = Math.max(count.used - calls, 0);
}

/** Releases the slot of a call that doesn't count in the end. */
export function giveBackSlot(state: AccountState, change: AccountChange): void {
  releaseSlots(state, change, 1);
  if (change.nowMs >= state.givenBackUntilMs) {
    state.givenBack = 0;
    state.givenBackUntilMs = change.nowMs + limits.givenBackWindowMs;
  }
  state.givenBack++;
}

export function reportCalls(state: AccountState, { allowance, inFlightCalls, nowMs }: InFlightChange): void {
  const count = findCount(state, allowance.periodStartMs, nowMs);
  if (count !== undefined && inFlightCalls !== undefined) recordInFlight(count, inFlightCalls, nowMs);
}

/** Starts a count unless one is running. */
export function beginCount(state: AccountState, { allowance, nowMs }: AccountChange, used: number): void {
  const { periodStartMs, periodEndMs } = allowance;
  if (findCount(state, periodStartMs, nowMs) !== undefined) return;
  const running = state.counts.filter(({ untilMs }) => untilMs > nowMs);
  const untilMs = Math.max(periodEndMs, nowMs) + kernelLimits.countGraceMs;
  state.counts = [...running, { periodStartMs, untilMs, used, inFlight: {} }];
}

function findCount({ counts }: AccountState, periodStartMs: number, nowMs: number): PeriodCount | undefined {
  for (const count of counts)
    if (count.periodStartMs === periodStartMs && count.untilMs > nowMs) return count;
  return undefined;
}

function recordInFlight({ inFlight }: PeriodCount, { processId, calls }: InFlightCalls, nowMs: number): void {
  const untilMs = nowMs + limits.inFlightLifeMs;
  const existing = inFlight[processId];
  if (existing === undefined) inFlight[processId] = { calls, untilMs };
  else {
    existing.calls = calls;
    existing.untilMs = untilMs;
  }
}

function countInFlight({ inFlight, used }: PeriodCount, nowMs: number): number {
  let held = 0;
  for (const [processId, { calls, untilMs }] of Object.entries(inFlight))
    if (untilMs > nowMs) held += calls;
    else delete inFlight[processId];
  return Math.min(held, used);
}
