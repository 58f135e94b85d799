import { costCeiling, type Exchange, type Handler, type NanoUsd, type Reply } from '../../module-api.ts';
import { type CostKit, countCall, holdBudget, settleWhenBilled } from './budget-hold.ts';
import { describeRelayCost, requestCostError, unpricedModelError } from './cost-errors.ts';
import { limits } from './limits.ts';
import { isLimited } from './stored-budgets.ts';

/** Sends a call without a canonical form only if its maximum cost, or an assumed one, fits under every ceiling. */
export async function guardRelay(exchange: Exchange, next: Handler, kit: CostKit): Promise<Reply> {
  if (!isLimited(kit)) {
    await countCall(exchange, kit);
    return next(exchange);
  }
  const { relay } = exchange;
  if (relay?.route.isBoundByForm === true) await relay.form?.complete();
  const worst = relayCost(exchange, kit);
  if (worst === undefined || (worst.cost === 0 && exchange.target.provider.reportsCost !== true))
    return next(exchange);
  const { cost: worstCost, isBound } = worst;
  const { request: ceiling } = kit.options;
  const description = describeRelayCost(worstCost, isBound);
  if (ceiling !== undefined && worstCost > ceiling.nano) throw requestCostError(description, ceiling.nano);
  const { hold } = await holdBudget({ amount: worstCost, least: worstCost, description }, exchange, kit);
  if (hold !== undefined) settleWhenBilled(hold, { exchange, worstCost, kit });
  return next(exchange);
}

interface RelayCost {
  readonly cost: NanoUsd;
  /** Whether the route bounds it; otherwise it is assumed. */
  readonly isBound: boolean;
}

/** Undefined if it is free, or if models without a price are allowed. */
function relayCost({ relay, target }: Exchange, kit: CostKit): RelayCost | undefined {
  if (relay === undefined || relay.route.price === 'free') return undefined;
  const bound = relay.route.bound?.(relay);
  if (bound === undefined)
    return { cost: kit.options.assume_relay?.nano ?? limits.assumedRelayNanoUsd, isBound: false };
  if ('nanoUsd' in bound) return { cost: bound.nanoUsd, isBound: true };
  const modelPricing = kit.catalog.priceOf(target);
  if (modelPricing !== undefined) {
    const cost = costCeiling(modelPricing.card, bound);
    // A price that has nothing for these units is no price.
    if (cost > 0 || bound.units === undefined || modelPricing.card.media !== undefined)
      return { cost, isBound: true };
    return { cost: kit.options.assume_relay?.nano ?? limits.assumedRelayNanoUsd, isBound: false };
  }
  if (kit.options.unknown === 'allow') return undefined;
  throw unpricedModelError(target);
}
