import { z } from 'zod';

const signalNames = ['tools', 'tests', 'correction', 'retry'] as const;
export type SignalName = (typeof signalNames)[number];

const share = z.coerce.number('must be a number').min(0, 'must be 0 to 0.5').max(0.5, 'must be 0 to 0.5');

const signals = z.string().transform((text, context): readonly SignalName[] => {
  if (text === 'none') return [];
  const named = text.split('|');
  const known = signalNames.filter((name) => named.includes(name));
  if (known.length === named.length) return known;
  context.addIssue(`must be none, or some of ${signalNames.join('|')}`);
  return z.NEVER;
});

export const patternsOptions = z.strictObject({
  budget_tokens: z.coerce
    .number('must be a number of tokens')
    .int('must be a whole number')
    .min(0, 'must be 0 or more')
    .max(10_000, 'must be 10000 or less')
    .describe('The most that is brought into one conversation, in tokens by estimate')
    .default(400),
  forge: z
    .enum(['on', 'off', 'model'], 'must be on, off or model')
    .describe(
      'Whether new patterns are made from what happens: `on`, `off`, or `model`, where a model words them',
    )
    .default('on'),
  holdout: share
    .describe('The share of conversations that a pattern is held out of, to see whether it helps')
    .default(0.1),
  scope: z
    .enum(['user', 'account'], 'must be user or account')
    .describe(
      'With whom a new pattern stays: the end user whom a request names, or the whole `account`, where all who use it trust one another',
    )
    .default('user'),
  signals: signals
    .describe(
      'What of the traffic counts for and against patterns: some of `tools|tests|correction|retry`, or `none`',
    )
    .prefault(signalNames.join('|')),
  model: z
    .string()
    .max(200)
    .describe('With `forge=model`: which model words patterns; that of the call where it is left out')
    .optional(),
});

export type PatternsOptions = z.output<typeof patternsOptions>;
