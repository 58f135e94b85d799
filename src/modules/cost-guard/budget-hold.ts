import {
  type Attempt,
  type Ceilings,
  type Exchange,
  formatUsd,
  type Hold,
  type Kit,
  type NanoUsd,
  type SpentByWindow,
} from '../../module-api.ts';
import { type CostDescription, ceilingExceededError } from './cost-errors.ts';
import { limits } from './limits.ts';
import { type CostGuardOptions, ceilingsOf } from './options.ts';

export type CostKit = Kit<CostGuardOptions>;

interface CostClaim {
  readonly amount: NanoUsd;
  /** The minimum to hold if there isn't enough left for all of it. */
  readonly least: NanoUsd;
  readonly description: CostDescription;
}

/** Holds an amount under the ceilings of day and month; undefined if there is neither. */
export async function holdBudget(
  { amount, least, description }: CostClaim,
  { signal }: Exchange,
  kit: CostKit,
): Promise<Hold | undefined> {
  const ceilings = ceilingsOf(kit.options);
  if (ceilings.day === undefined && ceilings.month === undefined) return undefined;
  const forMs = kit.options.wait * 1000;
  const decision = await kit.budget.hold({ amount, least, ceilings }, { forMs, signal });
  if (decision.outcome === 'refused')
    throw ceilingExceededError(decision, ceilings[decision.window] ?? 0, description);
  warn(decision.spent, ceilings, kit);
  return decision.hold;
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

/** `x-weir-cost-warning: day=83%` */
function warn(spentByWindow: SpentByWindow, ceilings: Ceilings, kit: CostKit): void {
  const near: string[] = [];
  for (const window of ['day', 'month'] as const) {
    const ceiling = ceilings[window];
    if (ceiling === undefined) continue;
    const percent = Math.floor((spentByWindow[window] * 100) / ceiling);
    if (percent >= limits.costWarningPercent) near.push(`${window}=${percent}%`);
  }
  if (near.length > 0) kit.setHeader('cost-warning', near.join(', '));
}
