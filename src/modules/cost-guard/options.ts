import { z } from 'zod';
import { type Ceilings, formatUsd, type NanoUsd, parseDuration } from '../../module-api.ts';
import { limits } from './limits.ts';

/** An amount in billionths of a dollar, serialized as dollars. */
export class Usd {
  readonly nano: NanoUsd;

  constructor(nano: NanoUsd) {
    this.nano = nano;
  }

  /** Undefined for anything but a decimal number above 0 with at most nine places. */
  static parse(text: string): Usd | undefined {
    const match = /^(\d{1,7})(?:\.(\d{1,9}))?$/.exec(text);
    if (match === null) return undefined;
    const [, whole = '', fraction = ''] = match;
    const nano = Number(whole) * 1e9 + Number(fraction.padEnd(9, '0'));
    return nano > 0 && nano <= limits.ceilingUsdMax * 1e9 ? new Usd(nano) : undefined;
  }

  toJSON(): string {
    return formatUsd(this.nano);
  }
}

const usd = z.string().transform((text, context) => {
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
  wait: z
    .string()
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

export type CostGuardOptions = z.infer<typeof costGuardOptions>;

export function hasCeiling({ request, day, month }: CostGuardOptions): boolean {
  return request !== undefined || day !== undefined || month !== undefined;
}

export function ceilingsOf({ day, month }: CostGuardOptions): Ceilings {
  return { day: day?.nano, month: month?.nano };
}

/** The lowest of each ceiling with the most cautious assumptions. Levels without a ceiling don't affect the assumptions. */
export function strictest(levels: readonly CostGuardOptions[]): CostGuardOptions {
  const setting = levels.filter(hasCeiling);
  const deciding = setting.length === 0 ? levels : setting;
  return {
    request: lowest(deciding.map(({ request }) => request)),
    day: lowest(deciding.map(({ day }) => day)),
    month: lowest(deciding.map(({ month }) => month)),
    assume_output: highestAssumption(deciding.map(({ assume_output }) => assume_output)),
    assume_input: highestAssumption(deciding.map(({ assume_input }) => assume_input)),
    assume_relay: highestAmount(deciding.map(({ assume_relay }) => assume_relay)),
    clamp: levels.some(({ clamp }) => clamp),
    wait: Math.min(...deciding.map(({ wait }) => wait)),
    unknown: deciding.every(({ unknown }) => unknown === 'allow') ? 'allow' : 'reject',
  };
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
