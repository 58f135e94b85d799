import { randomBytes } from 'node:crypto';
import type { Count, CountOptions, ModuleSlot } from '../kernel/module-counters.ts';
import type { CounterName, Counters } from '../kernel/ports/counters.ts';
import type { Trace } from '../kernel/trace.ts';
import { ignoreErrors } from '../lib/ignore-errors.ts';
import { limits } from './limits.ts';

/** Adds an amount to a count of a module, if it fits. */
export async function countForModule(
  counters: Counters,
  name: CounterName,
  { limit, window, by = 1 }: CountOptions,
): Promise<Count> {
  checkName(name);
  checkAmount('limit', limit);
  checkAmount('by', by);
  if (!(window > 0 && window <= limits.countWindowSecondsMax))
    throw new Error(`window must be a number of seconds, ${limits.countWindowSecondsMax} at most`);
  const state = await counters.add(name, { amount: by, limit, windowMs: window * 1000 });
  const resetSeconds = Math.ceil(state.leftMs / 1000);
  let amount = state.isAllowed ? by : 0;
  return {
    isAllowed: state.isAllowed,
    count: state.count,
    remaining: Math.max(0, limit - state.count),
    resetSeconds,
    // An amount above the limit fits into no window.
    retryAfterSeconds: state.isAllowed
      ? 0
      : Math.max(1, resetSeconds === 0 ? Math.ceil(window) : resetSeconds),
    async settle(used) {
      checkAmount('the settled amount', used);
      if (!state.isAllowed || by === 0) return;
      const change = used - amount;
      amount = used;
      if (change !== 0) await counters.correct(name, { window: state.window, change });
    },
  };
}

/** Takes a slot, renews it while the call runs, and releases it when the call ends. */
export async function takeModuleSlot(
  counters: Counters,
  name: CounterName,
  { limit, trace }: { readonly limit: number; readonly trace: Trace },
): Promise<ModuleSlot> {
  checkName(name);
  checkAmount('limit', limit);
  if (trace.isEnded) throw new Error('a slot is taken during a call, and this call has ended');
  const request = { holder: randomBytes(12).toString('base64url'), limit, lifeMs: limits.moduleSlotLifeMs };
  const state = await counters.takeSlot(name, request);
  if (!state.isAllowed) return { ...state, release: async () => undefined };
  const renewal = setInterval(
    () => void ignoreErrors(counters.takeSlot(name, request)),
    limits.moduleSlotRenewalMs,
  ).unref();
  let released: Promise<void> | undefined;
  const release = () => {
    clearInterval(renewal);
    released ??= counters.releaseSlot(name, request.holder);
    return released;
  };
  // Otherwise it expires.
  trace.onEnd(() => void ignoreErrors(release()));
  return { ...state, release };
}

function checkName({ name }: CounterName): void {
  if (name.length > limits.counterNameCharactersMax)
    throw new Error(`the name of a count has ${limits.counterNameCharactersMax} characters at most`);
}

function checkAmount(field: string, amount: number): void {
  if (!Number.isSafeInteger(amount) || amount < 0)
    throw new Error(`${field} must be a whole number, 0 or more`);
}
