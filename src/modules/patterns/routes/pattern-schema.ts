import { z } from 'zod';
import { textSchema } from '../../../module-api.ts';
import type { Conflict } from '../conflicts.ts';
import type { Pattern, PatternTrigger } from '../pattern.ts';
import { type PatternEffect, patternEffectOf } from '../store/pattern-effect.ts';
import { limits } from './limits.ts';

const names = z
  .array(textSchema({ min: 1, max: limits.patternNameCharactersMax }))
  .max(limits.patternNamesMax, `must have at most ${limits.patternNamesMax} names`);
const triggerText = textSchema({ max: limits.patternTriggerCharactersMax });

/** A text, or an object with a text, tools and models. */
export const triggerSchema = z
  .union(
    [
      textSchema({ min: 1, max: limits.patternTriggerCharactersMax }),
      z
        .strictObject({ text: triggerText.optional(), tools: names.optional(), models: names.optional() })
        .refine(
          ({ text: triggerText = '', tools = [] }) => triggerText.trim() !== '' || tools.length > 0,
          'must have a text or tools',
        ),
    ],
    'must be a text, or an object with a text or tools',
  )
  .describe('When the pattern applies: a text, or an object with a text, tools, and models such as `gpt-5*`');
export const adviceSchema = textSchema({ min: 1, max: limits.patternAdviceCharactersMax }).describe(
  'What the model should do',
);
export const stateSchema = z.enum(['candidate', 'active', 'retired'], 'must be candidate, active or retired');
export const scopeSchema = textSchema({ min: 1, max: limits.patternNameCharactersMax })
  .nullable()
  .describe('The end user that it is limited to; null for all');

const rowFields = {
  id: z.string(),
  trigger: triggerSchema,
  advice: adviceSchema,
  state: stateSchema,
  origin: z.enum(['person', 'forge']),
  scope: z.string().nullable(),
  wins: z.number().describe('Successful conversations with the pattern'),
  losses: z.number(),
  evidence: z.array(z.string()).describe('Ids of the calls that it was learned from'),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
};
const share = z.strictObject({ mean: z.number(), low: z.number(), high: z.number() });

const conflictFields = {
  conflicts: z
    .array(
      z.strictObject({
        id: z.string(),
        advice: z.string(),
        is_used: z
          .boolean()
          .describe('Whether this other pattern is used, and not the one that has the conflict'),
      }),
    )
    .describe('Active patterns for the same case that say the opposite; only the better one is used'),
};

export const patternSchema = z.strictObject(rowFields);
export const listedPatternSchema = z.strictObject({ ...rowFields, ...conflictFields });
export const patternStorySchema = z.strictObject({
  ...rowFields,
  ...conflictFields,
  holdout: z
    .strictObject({ wins: z.number(), losses: z.number() })
    .describe('Holdout: conversations without the pattern'),
  worth: z.strictObject({
    helps: z.number().describe('The probability that the pattern improves conversations'),
    with: share.describe('The share of successful conversations, with its 90 % interval'),
    without: share,
  }),
  won_in: z.array(z.string()).describe('Conversations, oldest first'),
  story: z.array(z.strictObject({ at: z.iso.datetime(), what: z.string() })),
});

export function parseTrigger(input: z.output<typeof triggerSchema>): PatternTrigger {
  if (typeof input === 'string') return { text: input, tools: [], models: [] };
  return { text: input.text ?? '', tools: input.tools ?? [], models: input.models ?? [] };
}

export function describePattern(pattern: Pattern): z.output<typeof patternSchema> {
  const { id, trigger, advice, state, origin, scope, wins, losses, evidence } = pattern;
  const { text: triggerText, tools, models } = trigger;
  return {
    id,
    trigger:
      tools.length + models.length === 0
        ? triggerText
        : {
            ...(triggerText !== '' && { text: triggerText }),
            ...(tools.length > 0 && { tools: [...tools] }),
            ...(models.length > 0 && { models: [...models] }),
          },
    advice,
    state,
    origin,
    scope,
    wins,
    losses,
    evidence: [...evidence],
    createdAt: timestamp(pattern.createdAtMs),
    updatedAt: timestamp(pattern.updatedAtMs),
  };
}

export function describeListedPattern(
  pattern: Pattern,
  conflicts: readonly Conflict[] = [],
): z.output<typeof listedPatternSchema> {
  return {
    ...describePattern(pattern),
    conflicts: conflicts.map(({ other: { id, advice }, isOtherUsed }) => ({
      id,
      advice,
      is_used: isOtherUsed,
    })),
  };
}

export function describePatternWithStory(
  pattern: Pattern,
  conflicts: readonly Conflict[] = [],
): z.output<typeof patternStorySchema> {
  return {
    ...describeListedPattern(pattern, conflicts),
    holdout: pattern.without,
    worth: roundWorth(patternEffectOf(pattern)),
    won_in: [...pattern.wonIn],
    story: pattern.story.map(({ atMs, what }) => ({ at: timestamp(atMs), what })),
  };
}

function roundWorth({ helps, with: on, without }: PatternEffect): PatternEffect {
  const digits = (value: number) => Math.round(value * 10_000) / 10_000;
  const shareOf = ({ mean, low, high }: PatternEffect['with']) => ({
    mean: digits(mean),
    low: digits(low),
    high: digits(high),
  });
  return { helps: digits(helps), with: shareOf(on), without: shareOf(without) };
}

function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}
