import { z } from 'zod';
import { formatUsd, type NanoUsd } from '../../module-api.ts';
import { limits } from './limits.ts';

/** An amount as it was written: to the billionth, and shown in dollars. */
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
  context.addIssue(`must be dollars above 0, like 0.50, and at most ${limits.ceilingUsdMax}`);
  return z.NEVER;
});

const tokens = z.coerce.number('must be a number of tokens').int().min(1).max(limits.estimatedTokensMax);

const flag = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');

export const costGuardOptions = z.strictObject({
  request: usd.describe('The most that one call may cost, in dollars').optional(),
  day: usd.describe('The most that a key may spend in a day of UTC, in dollars').optional(),
  month: usd.describe('The most that a key may spend in a calendar month of UTC, in dollars').optional(),
  assume_output: tokens
    .describe(
      'Tokens of output to reckon with where a call sets no limit, instead of the most that its model can',
    )
    .optional(),
  assume_input: tokens
    .describe(
      'Tokens of input to reckon with where the provider reads what the gateway can’t see, instead of the model’s whole context',
    )
    .optional(),
  clamp: flag
    .describe('Lowers the limit of output to what is left, `true` or `false`, instead of refusing the call')
    .prefault('false'),
  unknown: z
    .enum(['reject', 'allow'], 'must be reject or allow')
    .describe('What happens to calls whose price nobody knows: `reject` or `allow`')
    .default('reject'),
});

export type CostGuardOptions = z.infer<typeof costGuardOptions>;

export function hasCeiling({ request, day, month }: CostGuardOptions): boolean {
  return request !== undefined || day !== undefined || month !== undefined;
}

/** The lowest of each ceiling, and the most careful way to keep it. Who sets no ceiling has no say in how it is kept. */
export function strictest(levels: readonly CostGuardOptions[]): CostGuardOptions {
  const setting = levels.filter(hasCeiling);
  const deciding = setting.length === 0 ? levels : setting;
  return {
    request: lowest(deciding.map(({ request }) => request)),
    day: lowest(deciding.map(({ day }) => day)),
    month: lowest(deciding.map(({ month }) => month)),
    assume_output: highestAssumption(deciding.map(({ assume_output }) => assume_output)),
    assume_input: highestAssumption(deciding.map(({ assume_input }) => assume_input)),
    clamp: levels.some(({ clamp }) => clamp),
    unknown: deciding.every(({ unknown }) => unknown === 'allow') ? 'allow' : 'reject',
  };
}

function lowest(ceilings: readonly (Usd | undefined)[]): Usd | undefined {
  let least: Usd | undefined;
  for (const ceiling of ceilings)
    if (ceiling !== undefined && ceiling.nano < (least?.nano ?? Number.POSITIVE_INFINITY)) least = ceiling;
  return least;
}

/** To say nothing is to reckon with the worst. */
function highestAssumption(assumed: readonly (number | undefined)[]): number | undefined {
  const said = assumed.filter((count) => count !== undefined);
  return said.length < assumed.length ? undefined : Math.max(...said);
}
