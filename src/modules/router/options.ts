import { z } from 'zod';
import { durationText, listText, type NanoUsd, parseDuration, parseWeightedModel } from '../../module-api.ts';
import { limits } from './limits.ts';

const strategies = ['cheapest', 'order', 'fastest', 'weighted'] as const;
export type Strategy = (typeof strategies)[number];

/** Failures after which another target may answer. */
const failureKinds = [
  'connect',
  'timeout',
  'rate_limit',
  'overloaded',
  'server_error',
  'context_length',
  'unavailable',
  'refusal',
] as const;
export type FailureKind = (typeof failureKinds)[number];

/** A refusal is an answer: another model is asked only if the client wants that. */
const defaultKinds: readonly FailureKind[] = failureKinds.filter((kind) => kind !== 'refusal');

export interface WeightedModel {
  readonly model: string;
  readonly weight: number;
}

const models = listText()
  .transform((text) => text.split('|'))
  .pipe(namesSchema())
  .describe('The models to choose from, separated by `|`, each with a weight if wanted: `gpt-5-mini:3`')
  .optional();

function namesSchema() {
  return z
    .array(z.string().trim().min(1, 'must not contain an empty name'))
    .min(1, 'must name a model')
    .max(limits.modelsMax, `must not name more than ${limits.modelsMax} models`)
    .transform((names) => names.map(parseModel));
}

function parseModel(text: string): WeightedModel {
  const { model, weight = 1 } = parseWeightedModel(text);
  return { model, weight };
}

const kinds = listText(failureKinds)
  .transform((text) => text.split('|'))
  .pipe(z.array(z.enum(failureKinds, `must be of ${failureKinds.join(', ')}`)))
  .transform((listed): ReadonlySet<FailureKind> => new Set(listed))
  .describe(
    `The failures after which the next model is called, separated by \`|\`: ${failureKinds.join(', ')}`,
  )
  .prefault(defaultKinds.join('|'));

const names = listText()
  .transform((text) => text.split('|').map((name) => name.trim()))
  .pipe(z.array(z.string().min(1, 'must not contain an empty name')).max(limits.modelsMax))
  .transform((listed): ReadonlySet<string> => new Set(listed));

const usd = z
  .string()
  .regex(/^\d{1,4}(?:\.\d{1,9})?$/, 'must be an amount in dollars, like 0.05')
  .transform((text): NanoUsd => Math.round(Number(text) * 1e9))
  .refine(
    (nano) => nano > 0 && nano <= limits.maxUsdMax * 1e9,
    `must be above 0 and at most ${limits.maxUsdMax}`,
  )
  .describe('The most that a call may be expected to cost, in dollars')
  .optional();

const timeout = durationText()
  .transform((text) => parseDuration(text) ?? 0)
  .refine(
    (seconds) => seconds > 0 && seconds <= limits.timeoutSecondsMax,
    `must be a duration up to ${limits.timeoutSecondsMax} s, like 20s`,
  )
  .transform((seconds) => seconds * 1000)
  .describe('How long a model may take until its first content (default: 60s, unstreamed answers 10m)')
  .optional();

const onOff = z.enum(['on', 'off'], 'must be on or off').transform((text) => text === 'on');

const shared = {
  strategy: z
    .enum(strategies, `must be of ${strategies.join(', ')}`)
    .describe('Which model is called first: `cheapest`, `order`, `fastest` or `weighted`')
    .default('cheapest'),
  retries: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(0)
    .max(limits.retriesMax)
    .describe(
      'How often a call is repeated at the same model after a short pause, before the next model is called',
    )
    .default(1),
  timeout,
  sticky: onOff
    .describe(
      'Whether a conversation stays with its model while moving would cost more than it saves: `on` or `off`',
    )
    .prefault('on'),
  max_usd: usd,
  providers: names
    .describe('The providers that may answer, separated by `|`: `anthropic|bedrock` (default: all)')
    .optional(),
  regions: names
    .describe('The regions that may answer, separated by `|`: `eu|eu-central-1|europe-west1` (default: all)')
    .optional(),
  on: kinds,
  hedge: z
    .enum(['off', 'p95'], 'must be off or p95')
    .describe('`p95` also calls the next model if the first takes longer than 95 % of its answers did')
    .default('off'),
};

export const routerOptions = z.strictObject({ models, ...shared });

/** Configurations may have lists and numbers where pipeline lists have texts. */
export const routerConfiguration = z.strictObject({
  ...shared,
  models: z
    .union([z.string().transform((text) => text.split('|')), z.array(z.string())])
    .pipe(namesSchema())
    .optional(),
  max_usd: z
    .union([z.number().transform(String), z.string()])
    .pipe(usd.unwrap())
    .optional(),
  on: listOrText().pipe(kinds.unwrap()).prefault(defaultKinds.join('|')),
  providers: listOrText().pipe(names).optional(),
  regions: listOrText().pipe(names).optional(),
});

function listOrText() {
  return z.union([z.array(z.string()).transform((listed) => listed.join('|')), z.string()]);
}

export type RouterOptions = z.infer<typeof routerOptions>;
