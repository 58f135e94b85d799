import {
  type Attempt,
  type BudgetTag,
  type CallBudget,
  type Ceilings,
  type Exchange,
  formatUsd,
  type GatewayError,
  type Hold,
  type HoldDecision,
  type Kit,
  type NanoUsd,
  type SpentByWindow,
  tagOf,
} from '../../module-api.ts';
import { budgetExceededError, type CostDescription, ceilingExceededError } from './cost-errors.ts';
import { limits } from './limits.ts';
import { type CostGuardOptions, toCeilings, windowCeilingsOf } from './options.ts';
import { ceilingsOfBudget, hardBudgetsOf, prefixOfBudget, warningBudgetsOf } from './stored-budgets.ts';

export type CostKit = Kit<CostGuardOptions>;

interface CostClaim {
  readonly amount: NanoUsd;
  /** The minimum to hold if there isn't enough left for all of it. */
  readonly least: NanoUsd;
  readonly description: CostDescription;
}

/** What a call may cost, and what is held for it; undefined if there are no ceilings of day and month, and no budgets. */
interface CostAllowance {
  readonly amount: NanoUsd;
  readonly hold: Hold | undefined;
}

/** One budget that a call is held in. */
interface Claimed {
  readonly ceilings: Ceilings;
  readonly tag?: BudgetTag | undefined;
  readonly callBudget?: CallBudget;
  /** In front of the window's name in warnings. */
  readonly prefix: string;
  refuse(decision: RefusedHold, description: CostDescription): GatewayError;
}

type RefusedHold = Extract<HoldDecision, { outcome: 'refused' }>;

/** Holds an amount under all ceilings of day and month, of the key and of tags, and in the stored budgets. */
export async function holdBudget(
  { amount, least, description }: CostClaim,
  { signal, tags }: Exchange,
  kit: CostKit,
): Promise<CostAllowance> {
  const forMs = kit.options.wait * 1000;
  const { budget } = kit;
  const holds: Hold[] = [];
  const warnings: string[] = [];
  try {
    for (const claimed of claimedBudgets(kit, tags)) {
      const { ceilings, tag, callBudget } = claimed;
      const wanted = Math.min(amount, ...holds.map((hold) => hold.amount));
      const request = { amount: wanted, least, ceilings, tag, callBudget };
      const decision = await budget.hold(request, { forMs, signal });
      if (decision.outcome === 'refused') throw claimed.refuse(decision, description);
      holds.push(decision.hold);
      warnings.push(...warningsOf(decision.spent, ceilings, claimed.prefix));
    }
  } catch (refusal) {
    await Promise.all(holds.map((hold) => hold.settle(0)));
    throw refusal;
  }
  const granted = Math.min(amount, ...holds.map((hold) => hold.amount));
  const counted = await countInWarningBudgets(kit, warnings);
  if (warnings.length > 0) kit.setHeader('cost-warning', warnings.join(', '));
  return { amount: granted, hold: joinHolds([...holds, ...counted], holds.length === 0 ? 0 : granted) };
}

/** Counts a call that nothing limits in the budgets that only warn. */
export async function countCall(exchange: Exchange, kit: CostKit): Promise<void> {
  const warnings: string[] = [];
  const hold = joinHolds(await countInWarningBudgets(kit, warnings), 0);
  if (warnings.length > 0) kit.setHeader('cost-warning', warnings.join(', '));
  if (hold !== undefined) settleWhenBilled(hold, { exchange, worstCost: 0, kit });
}

/** All calls hold money in the same order, so that two never wait for each other. */
function claimedBudgets(kit: CostKit, tags: Exchange['tags']): readonly Claimed[] {
  const ofOptions = windowCeilingsOf(kit.options).map((limited): Claimed => {
    const { per } = limited;
    const ceilings = toCeilings(limited);
    const tag = per === undefined ? undefined : { name: per, value: tagOf(tags, per) ?? '' };
    return {
      ...{ ceilings, tag, prefix: per === undefined ? '' : `${per}.` },
      refuse: (decision, description) =>
        ceilingExceededError(decision, { ceiling: ceilings[decision.window] ?? 0, tag }, description),
    };
  });
  const stored = hardBudgetsOf(kit).map(
    (callBudget): Claimed => ({
      ...{ callBudget, ceilings: ceilingsOfBudget(callBudget), prefix: prefixOfBudget(callBudget) },
      refuse: (decision, description) => budgetExceededError(decision, callBudget, description),
    }),
  );
  return [...ofOptions, ...stored];
}

/** Nothing is held, and a store that is away refuses no call. */
async function countInWarningBudgets(kit: CostKit, warnings: string[]): Promise<readonly Hold[]> {
  const { budget } = kit;
  const counted = await Promise.all(
    warningBudgetsOf(kit).map(async (callBudget): Promise<readonly Hold[]> => {
      const request = { amount: 0, least: 0, ceilings: {}, callBudget };
      const decision = await budget.hold(request).catch(() => undefined);
      if (decision?.outcome !== 'granted') return [];
      const ceilings = ceilingsOfBudget(callBudget);
      warnings.push(...warningsOf(decision.spent, ceilings, prefixOfBudget(callBudget)));
      return [decision.hold];
    }),
  );
  return counted.flat();
}

/** All as one, for the least amount of them. */
function joinHolds(holds: readonly Hold[], amount: NanoUsd): Hold | undefined {
  const [only] = holds;
  if (holds.length <= 1) return only;
  return {
    amount,
    get isSettled() {
      return holds.every((hold) => hold.isSettled);
    },
    settle: async (cost) => void (await Promise.all(holds.map((hold) => hold.settle(cost)))),
  };
}

interface HeldCall {
  readonly exchange: Exchange;
  readonly worstCost: NanoUsd;
  readonly kit: CostKit;
}

export function settleWhenBilled(hold: Hold, { exchange, worstCost, kit }: HeldCall): void {
  // A streamed response sends its headers before the cost is known, so they carry the hold.
  if (exchange.clientRequest.streamed) kit.note({ held: formatUsd(hold.amount) });
  kit.onBilled((attempts) => {
    const cost = costOf(attempts, worstCost);
    kit.note({ usd: formatUsd(cost) });
    // Not awaited: the call's cost is recorded in the same tick.
    void hold.settle(cost);
  });
}

/** A failed attempt without a bill costs nothing; any other attempt without a bill costs the worst case. */
function costOf(attempts: readonly Attempt[], worstCost: NanoUsd): NanoUsd {
  let cost = 0;
  for (const { bill, ending } of attempts)
    cost += bill?.nanoUsd ?? (ending?.how === 'failed' ? 0 : worstCost);
  return cost;
}

/** `day=83%`, or `team.day=83%` for a tag. */
function warningsOf(spentByWindow: SpentByWindow, ceilings: Ceilings, prefix: string): readonly string[] {
  return (['day', 'month', 'rolling'] as const).flatMap((window) => {
    const ceiling = ceilings[window];
    if (ceiling === undefined) return [];
    const percent = Math.floor(((spentByWindow[window] ?? 0) * 100) / ceiling);
    return percent >= limits.costWarningPercent ? `${prefix}${window}=${percent}%` : [];
  });
}
