import { z } from 'zod';
import {
  type Ceilings,
  durationText,
  formatUsd,
  isTagName,
  type NanoUsd,
  parseDuration,
  parseUsd,
  type TagCeilings,
} from '../../module-api.ts';
import { limits } from './limits.ts';

/** An amount in billionths of a dollar, serialized as dollars. */
export class Usd {
  readonly nano: NanoUsd;

  constructor(nano: NanoUsd) {
    this.nano = nano;
  }

  /** Undefined for anything but a decimal number above 0 with at most nine places. */
  static parse(text: string): Usd | undefined {
    const nano = parseUsd(text, limits.ceilingUsdMax * 1e9);
    return nano === undefined ? undefined : new Usd(nano);
  }

  toJSON(): string {
    return formatUsd(this.nano);
  }
}

/** As `Usd.parse` reads it, for editors. */
const usdText = z.string().meta({ pattern: '^[0-9]{1,7}([.][0-9]{1,9})?$' });

const usd = usdText.transform((text, context) => {
  const amount = Usd.parse(text);
  if (amount !== undefined) return amount;
  context.addIssue(`must be an amount in dollars above 0 and at most ${limits.ceilingUsdMax}, like 0.50`);
  return z.NEVER;
});

const tokens = z.coerce.number('must be a number of tokens').int().min(1).max(limits.estimatedTokensMax);

const flag = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');

export const costGuardOptions = z.strictObject({
  request: usd.describe('Maximum cost of one call, in dollars').optional(),
  day: usd.describe('Maximum spend of a key per UTC day, in dollars').optional(),
  month: usd.describe('Maximum spend of a key per calendar month (UTC), in dollars').optional(),
  per: z
    .string()
    .transform((text, context) => {
      const tag = text.startsWith('tag:') ? text.slice('tag:'.length) : '';
      if (isTagName(tag)) return tag;
      context.addIssue('must be tag:<name>, such as tag:team');
      return z.NEVER;
    })
    .describe(
      'Whose spend `day` and `month` limit: `tag:<name>` for each value of a tag, over all keys of the account (default: each key)',
    )
    .optional(),
  budgets: z
    .enum(['hard', 'warning'], 'must be hard or warning')
    .describe(
      'Set by Weir for keys of an account with budgets: `hard` holds what a call may cost in each of them, `warning` counts only',
    )
    .optional(),
  assume_output: tokens
    .describe("Output tokens to assume when a call sets no limit (default: the model's maximum)")
    .optional(),
  assume_input: tokens
    .describe(
      "Input tokens to assume when the provider reads data that the gateway can't see (default: the model's context window)",
    )
    .optional(),
  assume_relay: usd
    .describe('Dollars to assume for a call to an endpoint that bounds neither tokens nor cost (default: 1)')
    .optional(),
  clamp: flag
    .describe(
      'Whether to lower the output limit to what the budget allows instead of rejecting the call: `true` or `false`',
    )
    .prefault('false'),
  wait: durationText()
    .transform((text, context) => {
      const seconds = parseDuration(text);
      if (seconds !== undefined && seconds <= limits.waitSecondsMax) return seconds;
      context.addIssue(`must be a duration up to ${limits.waitSecondsMax}s, such as 5s`);
      return z.NEVER;
    })
    .describe(
      'How long a call waits for money that calls in flight hold and may give back, up to 25s; `0s` to reject it at once',
    )
    .prefault('10s'),
  unknown: z
    .enum(['reject', 'allow'], 'must be reject or allow')
    .describe('What happens to calls without a known price: `reject` or `allow`')
    .default('reject'),
});

export type CostGuardOptions = z.infer<typeof costGuardOptions> & {
  /** Ceilings of further tags, which other levels set. */
  readonly further?: readonly WindowCeilings[] | undefined;
};

/** Ceilings of each value of a tag, or of the key. */
interface WindowCeilings {
  readonly per?: string | undefined;
  readonly day?: Usd | undefined;
  readonly month?: Usd | undefined;
}

/** Whether it limits calls, or counts them for budgets. */
export function hasLimit(options: CostGuardOptions): boolean {
  return options.budgets !== undefined || hasCeiling(options);
}

export function hasCeiling(options: CostGuardOptions): boolean {
  return options.request !== undefined || windowCeilingsOf(options).length > 0;
}

/** Those of the key first. */
export function windowCeilingsOf({
  per,
  day,
  month,
  further = [],
}: CostGuardOptions): readonly WindowCeilings[] {
  return [{ per, day, month }, ...further].filter((one) => one.day !== undefined || one.month !== undefined);
}

/** The ceilings of the key. */
export function ceilingsOf(options: CostGuardOptions): Ceilings {
  return options.per === undefined ? toCeilings(options) : {};
}

/** The ceilings of tags. */
export function tagCeilingsOf(options: CostGuardOptions): readonly TagCeilings[] {
  return windowCeilingsOf(options).flatMap(({ per, ...ceilings }) =>
    per === undefined ? [] : [{ tag: per, ceilings: toCeilings(ceilings) }],
  );
}

export function toCeilings({ day, month }: WindowCeilings): Ceilings {
  return { day: day?.nano, month: month?.nano };
}

/** The lowest of each ceiling with the most cautious assumptions. Levels without a ceiling don't affect the assumptions. */
export function strictest(levels: readonly CostGuardOptions[]): CostGuardOptions {
  const setting = levels.filter((level) => hasCeiling(level) || level.budgets === 'hard');
  const deciding = setting.length === 0 ? levels : setting;
  const [first, ...further] = lowestWindows(deciding.flatMap(windowCeilingsOf));
  return {
    request: lowest(deciding.map(({ request }) => request)),
    day: first?.day,
    month: first?.month,
    per: first?.per,
    assume_output: highestAssumption(deciding.map(({ assume_output }) => assume_output)),
    assume_input: highestAssumption(deciding.map(({ assume_input }) => assume_input)),
    assume_relay: highestAmount(deciding.map(({ assume_relay }) => assume_relay)),
    budgets: strictestBudgets(levels),
    clamp: levels.some(({ clamp }) => clamp),
    wait: Math.min(...deciding.map(({ wait }) => wait)),
    unknown: deciding.every(({ unknown }) => unknown === 'allow') ? 'allow' : 'reject',
    further: further.length === 0 ? undefined : further,
  };
}

function strictestBudgets(levels: readonly CostGuardOptions[]): CostGuardOptions['budgets'] {
  const set = levels.flatMap(({ budgets }) => budgets ?? []);
  return set.includes('hard') ? 'hard' : set[0];
}

/** The lowest for the key and for each tag: those of the key first, then tags by name. */
function lowestWindows(all: readonly WindowCeilings[]): readonly WindowCeilings[] {
  const groups = Map.groupBy(all, ({ per = '' }) => per);
  return [...groups]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, same]) => ({
      per: same[0]?.per,
      day: lowest(same.map(({ day }) => day)),
      month: lowest(same.map(({ month }) => month)),
    }));
}

function lowest(ceilings: readonly (Usd | undefined)[]): Usd | undefined {
  let least: Usd | undefined;
  for (const ceiling of ceilings)
    if (ceiling !== undefined && ceiling.nano < (least?.nano ?? Number.POSITIVE_INFINITY)) least = ceiling;
  return least;
}

/** Undefined if the default, which a level without the option assumes, is the highest. */
function highestAmount(assumed: readonly (Usd | undefined)[]): Usd | undefined {
  let most: Usd | undefined;
  for (const amount of assumed) if ((amount?.nano ?? 0) > (most?.nano ?? 0)) most = amount;
  const leastNano = assumed.includes(undefined) ? limits.assumedRelayNanoUsd : 0;
  return most !== undefined && most.nano > leastNano ? most : undefined;
}

/** Undefined, the worst case, if any level leaves it out. */
function highestAssumption(assumed: readonly (number | undefined)[]): number | undefined {
  const defined = assumed.filter((count) => count !== undefined);
  return defined.length < assumed.length ? undefined : Math.max(...defined);
}
