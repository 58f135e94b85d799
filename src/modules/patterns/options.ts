import { z } from 'zod';
import { autoOption, listText } from '../../module-api.ts';

const signalNames = ['tools', 'tests', 'correction', 'retry'] as const;
export type SignalName = (typeof signalNames)[number];

const share = z.coerce.number('must be a number').min(0, 'must be 0 to 0.5').max(0.5, 'must be 0 to 0.5');

const signals = listText([...signalNames, 'none']).transform((text, context): readonly SignalName[] => {
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
    .describe('Maximum advice per conversation, in estimated tokens')
    .default(400),
  forge: z
    .enum(['on', 'off', 'model'], 'must be on, off or model')
    .describe(
      'Whether new patterns are learned from traffic: `on`, `off`, or `model` to have a model phrase them',
    )
    .default('on'),
  holdout: share
    .describe('Share of conversations that get no advice from a pattern, to measure whether it helps')
    .default(0.1),
  scope: z
    .enum(['user', 'account'], 'must be user or account')
    .describe(
      'Who a new pattern applies to: the end `user` named by the request, or the whole `account` if all its users trust one another',
    )
    .default('user'),
  signals: signals
    .describe(
      'Which signals in the traffic count for and against patterns: some of `tools|tests|correction|retry`, or `none`',
    )
    .prefault(signalNames.join('|')),
  model: z
    .string()
    .max(200)
    .describe('With `forge=model`, the model that phrases patterns (default: the model of the call)')
    .optional(),
  auto: autoOption,
});

export type PatternsOptions = z.output<typeof patternsOptions>;
