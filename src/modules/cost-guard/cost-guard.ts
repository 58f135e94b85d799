import {
  type Attempt,
  type Ceilings,
  choosesOutputLimit,
  defineModule,
  type Exchange,
  formatUsd,
  type Hold,
  type Kit,
  type Module,
  type NanoUsd,
  type SpentByWindow,
} from '../../module-api.ts';
import { ceilingExceededError, requestCostError, unpricedModelError } from './cost-errors.ts';
import { limits } from './limits.ts';
import { type CostGuardOptions, costGuardOptions, hasCeiling, strictest } from './options.ts';
import { WorstCase } from './worst-case.ts';

type CostKit = Kit<CostGuardOptions>;

/** Sends a call only if its maximum cost fits under every ceiling, counting concurrent calls. */
export const costGuard: Module<CostGuardOptions> = defineModule({
  api: 1,
  name: 'cost-guard',
  summary: 'Keeps a key under its ceilings in dollars per request, day and month.',
  status: 'production',
  protective: true,
  order: 90,
  ifBroken: 'reject',
  position: 'innermost',
  touches: ['output-limit'],
  options: costGuardOptions,
  strictest,
  idle: (options) => !hasCeiling(options),

  async handle(exchange, next, kit) {
    const { target } = exchange;
    const modelPricing = kit.catalog.priceOf(target);
    if (modelPricing === undefined) {
      if (kit.options.unknown === 'allow') return next(exchange);
      throw unpricedModelError(target);
    }
    const worst = new WorstCase(exchange, modelPricing, kit.options);
    // A provider that reports its cost may charge for a model that is listed as free.
    if (worst.cost === 0 && target.provider.reportsCost !== true) return next(exchange);

    const { amount, hold } = await holdWorstCase(worst, choosesOutputLimit(exchange), kit);
    const fitting = () =>
      amount < worst.cost ? clampOutput(exchange, worst.outputLimitFor(amount), kit) : exchange;
    if (hold === undefined) return next(fitting());
    // A streamed response sends its headers before the cost is known, so they carry the hold.
    if (exchange.clientRequest.streamed) kit.note({ held: formatUsd(hold.amount) });
    kit.onBilled((attempts) => {
      const cost = costOf(attempts, worst);
      kit.note({ usd: formatUsd(cost) });
      // Not awaited: the call's cost is recorded in the same tick.
      void hold.settle(cost);
    });
    return next(fitting());
  },
});

/** A failed attempt without a bill costs nothing; any other attempt without a bill costs the worst case. */
function costOf(attempts: readonly Attempt[], worst: WorstCase): NanoUsd {
  let cost = 0;
  for (const { bill, ending } of attempts)
    cost += bill?.nanoUsd ?? (ending?.how === 'failed' ? 0 : worst.cost);
  return cost;
}

interface CostAllowance {
  readonly amount: NanoUsd;
  /** Undefined when only the cost per request is limited. */
  readonly hold: Hold | undefined;
}

/** Holds the worst case, or what is left of the budget if the output may be clamped. */
async function holdWorstCase(worst: WorstCase, isOurLimit: boolean, kit: CostKit): Promise<CostAllowance> {
  const { request: ceiling, day, month, clamp } = kit.options;
  const least = clamp || isOurLimit ? worst.minimumCost : worst.cost;
  if (ceiling !== undefined && least > ceiling.nano) throw requestCostError(worst, ceiling.nano);
  const wanted = isOurLimit ? worst.holdAmountFor(lowestWindowCeiling(kit.options)) : worst.cost;
  const amount = Math.min(wanted, ceiling?.nano ?? wanted);
  if (day === undefined && month === undefined) return { amount, hold: undefined };

  const ceilings: Ceilings = { day: day?.nano, month: month?.nano };
  const decision = await kit.budget.hold({ amount, least, ceilings });
  if (decision.outcome === 'refused')
    throw ceilingExceededError(decision, ceilings[decision.window] ?? 0, worst);
  warn(decision.spent, ceilings, kit);
  return { amount: decision.hold.amount, hold: decision.hold };
}

function lowestWindowCeiling({ day, month }: CostGuardOptions): NanoUsd {
  return Math.min(day?.nano ?? Number.POSITIVE_INFINITY, month?.nano ?? Number.POSITIVE_INFINITY);
}

function clampOutput(exchange: Exchange, limit: number, kit: CostKit): Exchange {
  kit.note({ max_tokens: limit });
  return exchange.with({ request: { ...exchange.request, max_tokens: limit } });
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
