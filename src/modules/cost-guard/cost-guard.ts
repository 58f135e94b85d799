import {
  choosesOutputLimit,
  defineModule,
  type Exchange,
  type Module,
  type NanoUsd,
} from '../../module-api.ts';
import { type CostKit, countCall, holdBudget, settleWhenBilled } from './budget-hold.ts';
import { describeWorstCase, requestCostError, unpricedModelError } from './cost-errors.ts';
import {
  type CostGuardOptions,
  ceilingsOf,
  costGuardOptions,
  hasLimit,
  strictest,
  tagCeilingsOf,
  windowCeilingsOf,
} from './options.ts';
import { guardRelay } from './relay-cost.ts';
import { hardBudgetsOf, isLimited } from './stored-budgets.ts';
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
  idle: (options) => !hasLimit(options),

  async handle(exchange, next, kit) {
    if (!isLimited(kit)) {
      await countCall(exchange, kit);
      return next(exchange);
    }
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

/** Holds the worst case, or what is left of the budget if the output may be clamped. */
async function holdWorstCase(
  worst: WorstCase,
  exchange: Exchange,
  kit: CostKit,
): ReturnType<typeof holdBudget> {
  const isOurLimit = choosesOutputLimit(exchange);
  const { request: ceiling, clamp } = kit.options;
  const least = clamp || isOurLimit ? worst.minimumCost : worst.cost;
  const description = describeWorstCase(worst);
  if (ceiling !== undefined && least > ceiling.nano) throw requestCostError(description, ceiling.nano);
  const wanted = isOurLimit ? worst.holdAmountFor(lowestWindowCeiling(kit)) : worst.cost;
  const amount = Math.min(wanted, ceiling?.nano ?? wanted);
  return holdBudget({ amount, least, description }, exchange, kit);
}

function lowestWindowCeiling(kit: CostKit): NanoUsd {
  const ceilings = windowCeilingsOf(kit.options).flatMap(({ day, month }) => [day, month]);
  return Math.min(
    ...ceilings.map((ceiling) => ceiling?.nano ?? Number.POSITIVE_INFINITY),
    ...hardBudgetsOf(kit).map(({ budget }) => budget.limitNanoUsd),
  );
}

function clampOutput(exchange: Exchange, limit: number, kit: CostKit): Exchange {
  kit.note({ max_tokens: limit });
  return exchange.with({ request: { ...exchange.request, max_tokens: limit } });
}
