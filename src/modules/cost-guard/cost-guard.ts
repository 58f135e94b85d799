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
  type Spent,
} from '../../module-api.ts';
import { limits } from './limits.ts';
import { type CostGuardOptions, costGuardOptions, hasCeiling, strictest } from './options.ts';
import { ceilingReached, priceUnknown, requestTooDear } from './refusals.ts';
import { WorstCase } from './worst-case.ts';

type CostKit = Kit<CostGuardOptions>;

/** Lets a call go out only if the most that it can cost fits under every ceiling, whoever else is calling. */
export const costGuard: Module<CostGuardOptions> = defineModule({
  api: 1,
  name: 'cost-guard',
  summary: 'Keeps a key under its ceilings in dollars per request, day and month.',
  status: 'production',
  protective: true,
  order: 90,
  ifBroken: 'reject',
  place: 'innermost',
  touches: ['output-limit'],
  options: costGuardOptions,
  strictest,
  idle: (options) => !hasCeiling(options),

  async handle(exchange, next, kit) {
    const { target } = exchange;
    const priced = kit.catalog.priced(target);
    if (priced === undefined) {
      if (kit.options.unknown === 'allow') return next(exchange);
      throw priceUnknown(target);
    }
    const worst = new WorstCase(exchange, priced, kit.options);
    // Who says what it charged may charge something for what is listed as free.
    if (worst.cost === 0 && target.provider.reportsCost !== true) return next(exchange);

    const { amount, hold } = await heldFor(worst, choosesOutputLimit(exchange), kit);
    const fitting = () => (amount < worst.cost ? clamped(exchange, worst.limitFor(amount), kit) : exchange);
    if (hold === undefined) return next(fitting());
    // What it cost stands in the header of a whole answer; that of a stream goes out before anybody knows.
    if (exchange.received.streamed) kit.note({ held: formatUsd(hold.amount) });
    kit.whenPaid((attempts) => {
      const cost = costOf(attempts, worst);
      kit.note({ usd: formatUsd(cost) });
      // Nobody waits for it: what the call cost is recorded in the same breath.
      void hold.settle(cost);
    });
    return next(fitting());
  },
});

/** What nobody was asked for costs nothing, and what has no price the most that it could. */
function costOf(attempts: readonly Attempt[], worst: WorstCase): NanoUsd {
  let cost = 0;
  for (const { bill, ending } of attempts)
    cost += bill?.nanoUsd ?? (ending?.how === 'failed' ? 0 : worst.cost);
  return cost;
}

interface Granted {
  readonly amount: NanoUsd;
  /** Undefined where nothing but the call itself is limited. */
  readonly hold: Hold | undefined;
}

/** All of the worst case, or as much of it as there is where the call may be cut short. */
async function heldFor(worst: WorstCase, isOurLimit: boolean, kit: CostKit): Promise<Granted> {
  const { request: ceiling, day, month, clamp } = kit.options;
  const least = clamp || isOurLimit ? worst.leastCost : worst.cost;
  if (ceiling !== undefined && least > ceiling.nano) throw requestTooDear(worst, ceiling.nano);
  const wanted = isOurLimit ? worst.costWithin(lowestOf(kit.options)) : worst.cost;
  const amount = Math.min(wanted, ceiling?.nano ?? wanted);
  if (day === undefined && month === undefined) return { amount, hold: undefined };

  const ceilings: Ceilings = { day: day?.nano, month: month?.nano };
  const decision = await kit.purse.hold({ amount, least, ceilings });
  if (decision.outcome === 'refused') throw ceilingReached(decision, ceilings[decision.window] ?? 0, worst);
  warn(decision.spent, ceilings, kit);
  return { amount: decision.hold.amount, hold: decision.hold };
}

function lowestOf({ day, month }: CostGuardOptions): NanoUsd {
  return Math.min(day?.nano ?? Number.POSITIVE_INFINITY, month?.nano ?? Number.POSITIVE_INFINITY);
}

function clamped(exchange: Exchange, limit: number, kit: CostKit): Exchange {
  kit.note({ max_tokens: limit });
  return exchange.with({ request: { ...exchange.request, max_tokens: limit } });
}

/** `x-weir-cost-warning: day=83%` */
function warn(spent: Spent, ceilings: Ceilings, kit: CostKit): void {
  const near: string[] = [];
  for (const window of ['day', 'month'] as const) {
    const ceiling = ceilings[window];
    if (ceiling === undefined) continue;
    const percent = Math.floor((spent[window] * 100) / ceiling);
    if (percent >= limits.costWarningPercent) near.push(`${window}=${percent}%`);
  }
  if (near.length > 0) kit.tell('cost-warning', near.join(', '));
}
