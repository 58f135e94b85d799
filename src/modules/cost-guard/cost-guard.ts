import {
  choosesOutputLimit,
  defineModule,
  type Exchange,
  type Hold,
  type Module,
  type NanoUsd,
} from '../../module-api.ts';
import { type CostKit, holdBudget, settleWhenBilled } from './budget-hold.ts';
import { describeWorstCase, requestCostError, unpricedModelError } from './cost-errors.ts';
import {
  type CostGuardOptions,
  ceilingsOf,
  costGuardOptions,
  hasCeiling,
  strictest,
  tagCeilingsOf,
  windowCeilingsOf,
} from './options.ts';
import { guardRelay } from './relay-cost.ts';
import { WorstCase } from './worst-case.ts';

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
  ceilings: ceilingsOf,
  tagCeilings: tagCeilingsOf,
  idle: (options) => !hasCeiling(options),

  async handle(exchange, next, kit) {
    const { target } = exchange;
    const modelPricing = kit.catalog.priceOf(target);
    if (modelPricing === undefined) {
      if (kit.options.unknown === 'allow') return next(exchange);
      throw unpricedModelError(target);
    }
    const worst = new WorstCase(exchange, modelPricing, kit.options, (model) =>
      kit.catalog.priceOf({ ...target, model }),
    );
    // A provider that reports its cost may charge for a model that is listed as free.
    if (worst.cost === 0 && target.provider.reportsCost !== true) return next(exchange);

    const { amount, hold } = await holdWorstCase(worst, exchange, kit);
    const fitting = () =>
      amount < worst.cost ? clampOutput(exchange, worst.outputLimitFor(amount), kit) : exchange;
    if (hold !== undefined) settleWhenBilled(hold, { exchange, worstCost: worst.cost, kit });
    return next(fitting().with({ costBound: amount }));
  },
  handleRelay: guardRelay,
});

interface CostAllowance {
  readonly amount: NanoUsd;
  /** Undefined when only the cost per request is limited. */
  readonly hold: Hold | undefined;
}

/** Holds the worst case, or what is left of the budget if the output may be clamped. */
async function holdWorstCase(worst: WorstCase, exchange: Exchange, kit: CostKit): Promise<CostAllowance> {
  const isOurLimit = choosesOutputLimit(exchange);
  const { request: ceiling, clamp } = kit.options;
  const least = clamp || isOurLimit ? worst.minimumCost : worst.cost;
  const description = describeWorstCase(worst);
  if (ceiling !== undefined && least > ceiling.nano) throw requestCostError(description, ceiling.nano);
  const wanted = isOurLimit ? worst.holdAmountFor(lowestWindowCeiling(kit.options)) : worst.cost;
  const amount = Math.min(wanted, ceiling?.nano ?? wanted);
  const hold = await holdBudget({ amount, least, description }, exchange, kit);
  return { amount: hold?.amount ?? amount, hold };
}

function lowestWindowCeiling(options: CostGuardOptions): NanoUsd {
  const ceilings = windowCeilingsOf(options).flatMap(({ day, month }) => [day, month]);
  return Math.min(...ceilings.map((ceiling) => ceiling?.nano ?? Number.POSITIVE_INFINITY));
}

function clampOutput(exchange: Exchange, limit: number, kit: CostKit): Exchange {
  kit.note({ max_tokens: limit });
  return exchange.with({ request: { ...exchange.request, max_tokens: limit } });
}
