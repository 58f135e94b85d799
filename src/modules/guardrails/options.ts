import { z } from 'zod';
import { listText } from '../../module-api.ts';
import { type PersonalKind, personalKinds } from './finding.ts';
import { limits } from './limits.ts';
import type { CompiledRule } from './rules/compiled-rule.ts';
import { severities } from './words/find-profanity.ts';

/** What happens with a finding, from the mildest to the strictest. */
const actions = ['off', 'monitor', 'redact', 'block'] as const;
export type Action = (typeof actions)[number];

function actionOption(description: string, byDefault: Action, allowed: readonly Action[] = actions) {
  return z
    .enum(allowed, `must be of ${allowed.join(', ')}`)
    .describe(`${description}: ${allowed.map((action) => `\`${action}\``).join(', ')}`)
    .default(byDefault);
}

const onOff = z.enum(['on', 'off'], 'must be on or off').transform((text) => text === 'on');

/**
 * Kinds that are sought if `types` lists none. Places, ages and nationalities count beside a person only, and organizations and
 * dates don't count.
 */
export const defaultKinds: ReadonlySet<PersonalKind> = new Set(
  personalKinds.slice(0, personalKinds.indexOf('DATE_OF_BIRTH') + 1),
);

const kinds = z
  .array(z.enum(personalKinds, `must be of ${personalKinds.join(', ')}`))
  .transform((listed): ReadonlySet<PersonalKind> => new Set(listed));

const ruleNames = z
  .array(z.string().min(1))
  .max(limits.rulesMax, `must not name more than ${limits.rulesMax} rules`);

const shared = {
  pii: actionOption('Personal data in requests', 'redact'),
  secrets: actionOption('Keys, tokens and passwords in requests', 'redact'),
  injection: actionOption('Text that tries to change the instructions of the model', 'monitor', [
    'off',
    'monitor',
    'block',
  ]),
  profanity: actionOption('Swear words in requests', 'off'),
  severity: z
    .enum(severities, `must be of ${severities.join(', ')}`)
    .describe(
      'The mildest swear words that count: `low` has words that are ordinary in many contexts, `high` has slurs and the worst',
    )
    .default('medium'),
  output: actionOption('The same kinds, except for injection, in answers', 'monitor'),
  reversible: onOff
    .describe('Whether placeholders in answers are replaced by their values: `on` or `off`')
    .prefault('on'),
  language: z
    .string()
    .regex(/^(?:auto|[a-z]{2})$/, 'must be auto or a code of two letters, like de')
    .describe('The language of the texts, for names and addresses: `auto`, or a code such as `de`')
    .default('auto'),
  unscanned: z
    .enum(['report', 'block'], 'must be report or block')
    .describe(
      'What happens to requests with images, audio, files or stored content, which are not read: `report` or `block`',
    )
    .default('report'),
  media: z
    .enum(['block', 'report'], 'must be block or report')
    .describe(
      'What happens to calls to endpoints other than chat with pictures, sound or tokens, which are not read: `block` or `report`',
    )
    .default('block'),
  models: z
    .enum(['on', 'off', 'required'], 'must be on, off or required')
    .describe(
      'Whether the local models look for names, addresses and injections; `required` rejects calls while they are unavailable',
    )
    .default('on'),
};

function splitList(text: string): string[] {
  return text.split('|');
}

export const guardrailsOptions = z.strictObject({
  ...shared,
  types: listText(personalKinds)
    .transform(splitList)
    .pipe(kinds)
    .describe(
      `The kinds of personal data to look for, separated by \`|\`: ${personalKinds.join(', ')} (default: those that identify a person)`,
    )
    .optional(),
  rules: listText()
    .transform(splitList)
    .pipe(ruleNames)
    .describe('Custom rules to apply, separated by `|`')
    .optional(),
});

/** Configurations may have lists where pipeline lists have texts. */
export const guardrailsConfiguration = z.strictObject({
  ...shared,
  types: z
    .union([z.string().transform(splitList), z.array(z.string())])
    .pipe(kinds)
    .optional(),
  rules: z
    .union([z.string().transform(splitList), z.array(z.string())])
    .pipe(ruleNames)
    .optional(),
});

export interface GuardrailsOptions extends z.infer<typeof guardrailsOptions> {
  /** Those of `rules`, compiled. */
  readonly compiledRules?: readonly CompiledRule[];
}

/** Options that are as strict as each of the levels; preferences are those of the first. */
export function strictestOptions(levels: readonly GuardrailsOptions[]): GuardrailsOptions {
  const [first] = levels;
  if (first === undefined) throw new Error('there are no options');
  const strictest = (name: 'pii' | 'secrets' | 'profanity' | 'output' | 'injection') =>
    levels.map((level): Action => level[name]).reduce(stricter);
  const listed = levels.filter(({ pii }) => pii !== 'off').map(({ types }) => types);
  return {
    ...first,
    pii: strictest('pii'),
    secrets: strictest('secrets'),
    profanity: strictest('profanity'),
    output: strictest('output'),
    injection: strictest('injection') as GuardrailsOptions['injection'],
    types: listed.every((types) => types === undefined)
      ? undefined
      : new Set(listed.flatMap((types) => [...(types ?? defaultKinds)])),
    severity: severities.find((least) => levels.some(({ severity }) => severity === least)) ?? 'medium',
    unscanned: levels.some(({ unscanned }) => unscanned === 'block') ? 'block' : 'report',
    media: levels.some(({ media }) => media === 'block') ? 'block' : 'report',
    models:
      (['required', 'on', 'off'] as const).find((state) => levels.some(({ models }) => models === state)) ??
      'on',
    rules: [...new Set(levels.flatMap((level) => level.rules ?? []))],
    // An account may have a rule with the name of one of the operator's: both apply.
    compiledRules: [...new Set(levels.flatMap(({ compiledRules = [] }) => compiledRules))],
  };
}

export function stricter(one: Action, other: Action): Action {
  return actions.indexOf(one) >= actions.indexOf(other) ? one : other;
}
