import {
  type Attempt,
  type BudgetTag,
  type Ceilings,
  type Exchange,
  formatUsd,
  type Hold,
  type Kit,
  type NanoUsd,
  type SpentByWindow,
  tagOf,
} from '../../module-api.ts';
import { type CostDescription, ceilingExceededError } from './cost-errors.ts';
import { limits } from './limits.ts';
import { type CostGuardOptions, toCeilings, windowCeilingsOf } from './options.ts';

export type CostKit = Kit<CostGuardOptions>;

interface CostClaim {
  readonly amount: NanoUsd;
  /** The minimum to hold if there isn't enough left for all of it. */
  readonly least: NanoUsd;
  readonly description: CostDescription;
}

/** Holds an amount under all ceilings of day and month, of the key and of tags; undefined if there are none. */
export async function holdBudget(
  { amount, least, description }: CostClaim,
  { signal, tags }: Exchange,
  kit: CostKit,
): Promise<Hold | undefined> {
  const forMs = kit.options.wait * 1000;
  const holds: Hold[] = [];
  const warnings: string[] = [];
  try {
    for (const limited of windowCeilingsOf(kit.options)) {
      const ceilings = toCeilings(limited);
      const tag =
        limited.per === undefined ? undefined : { name: limited.per, value: tagOf(tags, limited.per) ?? '' };
      const wanted = Math.min(amount, ...holds.map((hold) => hold.amount));
      const decision = await kit.budget.hold({ amount: wanted, least, ceilings, tag }, { forMs, signal });
      if (decision.outcome === 'refused')
        throw ceilingExceededError(decision, { ceiling: ceilings[decision.window] ?? 0, tag }, description);
      holds.push(decision.hold);
      warnings.push(...warningsOf(decision.spent, ceilings, tag));
    }
  } catch (refusal) {
    await Promise.all(holds.map((hold) => hold.settle(0)));
    throw refusal;
  }
  if (warnings.length > 0) kit.setHeader('cost-warning', warnings.join(', '));
  return joinHolds(holds);
}

/** All as one, for the least amount of them. */
function joinHolds(holds: readonly Hold[]): Hold | undefined {
  const [only] = holds;
  if (holds.length <= 1) return only;
  return {
    amount: Math.min(...holds.map((hold) => hold.amount)),
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
function warningsOf(
  spentByWindow: SpentByWindow,
  ceilings: Ceilings,
  tag: BudgetTag | undefined,
): readonly string[] {
  return (['day', 'month'] as const).flatMap((window) => {
    const ceiling = ceilings[window];
    if (ceiling === undefined) return [];
    const percent = Math.floor((spentByWindow[window] * 100) / ceiling);
    const name = tag === undefined ? window : `${tag.name}.${window}`;
    return percent >= limits.costWarningPercent ? `${name}=${percent}%` : [];
  });
}
