import { z } from 'zod';
import { limits } from '../../../kernel/limits.ts';
import type { Pattern, PatternTrigger } from '../../../kernel/ports/patterns.ts';
import { type PatternEffect, patternEffectOf } from '../../../patterns/pattern-effect.ts';
import { textSchema, timestamp } from '../text.ts';

const names = z
  .array(textSchema({ min: 1, max: limits.patternNameCharactersMax }))
  .max(limits.patternNamesMax, `must be ${limits.patternNamesMax} at most`);
const triggerText = textSchema({ max: limits.patternTriggerCharactersMax });

/** What it is for: a text, or that with the tools and the models that it is about. */
export const triggerSchema = z
  .union(
    [
      textSchema({ min: 1, max: limits.patternTriggerCharactersMax }),
      z
        .strictObject({ text: triggerText.optional(), tools: names.optional(), models: names.optional() })
        .refine(
          ({ text: said = '', tools = [] }) => said.trim() !== '' || tools.length > 0,
          'must have a text or tools',
        ),
    ],
    'must be a text, or an object with a text or tools',
  )
  .describe('When it applies: a text, or an object with a text, tools, and models such as `gpt-5*`');
export const adviceSchema = textSchema({ min: 1, max: limits.patternAdviceCharactersMax }).describe(
  'What to do then',
);
export const stateSchema = z.enum(['candidate', 'active', 'retired'], 'must be candidate, active or retired');
export const scopeSchema = textSchema({ min: 1, max: limits.patternNameCharactersMax })
  .nullable()
  .describe('The end user that it stays with; null for all');

const rowFields = {
  id: z.string(),
  trigger: triggerSchema,
  advice: adviceSchema,
  state: stateSchema,
  origin: z.enum(['person', 'forge']),
  scope: z.string().nullable(),
  wins: z.number().describe('Conversations that went well with it'),
  losses: z.number(),
  evidence: z.array(z.string()).describe('Ids of the calls that it came from'),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
};
const share = z.strictObject({ mean: z.number(), low: z.number(), high: z.number() });

export const patternSchema = z.strictObject(rowFields);
export const patternStorySchema = z.strictObject({
  ...rowFields,
  holdout: z
    .strictObject({ wins: z.number(), losses: z.number() })
    .describe('Conversations that it was held out of'),
  worth: z.strictObject({
    helps: z.number().describe('How likely it is that conversations go better with it than without'),
    with: share.describe('The share of conversations that go well, with the 90 % that it lies in'),
    without: share,
  }),
  won_in: z.array(z.string()).describe('Conversations, the latest last'),
  story: z.array(z.strictObject({ at: z.iso.datetime(), what: z.string() })),
});

export function parseTrigger(said: z.output<typeof triggerSchema>): PatternTrigger {
  if (typeof said === 'string') return { text: said, tools: [], models: [] };
  return { text: said.text ?? '', tools: said.tools ?? [], models: said.models ?? [] };
}

export function describePattern(pattern: Pattern): z.output<typeof patternSchema> {
  const { id, trigger, advice, state, origin, scope, wins, losses, evidence } = pattern;
  const { text: said, tools, models } = trigger;
  return {
    id,
    trigger:
      tools.length + models.length === 0
        ? said
        : {
            ...(said !== '' && { text: said }),
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

export function describePatternWithStory(pattern: Pattern): z.output<typeof patternStorySchema> {
  return {
    ...describePattern(pattern),
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
