import { RE2JS, RE2JSSyntaxException } from 're2js';
import { z } from 'zod';
import { GatewayError, invalidFieldError, type JsonObject } from '../../../module-api.ts';
import { personalKinds, secretKinds } from '../finding.ts';
import { WordMatcher } from '../words/word-matcher.ts';
import { Automaton, type TextRange } from './automaton.ts';
import type { CompiledRule } from './compiled-rule.ts';
import { limits } from './limits.ts';
import { TooManyStatesError } from './state-table.ts';

/** What a custom rule is made from. */
export const ruleSchema = z
  .strictObject({
    pattern: z
      .string()
      .min(1)
      .max(limits.patternCharactersMax)
      .describe('A regular expression in RE2 syntax; `(?i)` at its beginning ignores case')
      .optional(),
    words: z
      .array(z.string().trim().min(1).max(limits.wordCharactersMax))
      .min(1)
      .max(limits.wordsMax)
      .describe(
        'Words and phrases, which are found in any case, with accents, look-alikes, digits for letters and separators',
      )
      .optional(),
    action: z
      .enum(['monitor', 'redact', 'block'])
      .describe('`monitor` reports findings, `redact` replaces them, `block` rejects the call'),
    replacement: z
      .string()
      .max(limits.replacementCharactersMax)
      .describe(
        'What `redact` writes in the place of a finding; without it, a placeholder that is turned back in the answer',
      )
      .optional(),
    applies_to: z.enum(['input', 'output', 'both']).describe('What it reads').default('both'),
  })
  .refine(({ pattern, words }) => (pattern === undefined) !== (words === undefined), {
    message: 'must have either a pattern or words',
    path: ['pattern'],
  })
  .refine(({ action, replacement }) => replacement === undefined || action === 'redact', {
    message: 'is only for rules with the action redact',
    path: ['replacement'],
  })
  // The same for editors.
  .meta({
    oneOf: [{ required: ['pattern'] }, { required: ['words'] }],
    if: { properties: { action: { enum: ['monitor', 'block'] } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { replacement: false } },
  });

type RuleDefinition = z.output<typeof ruleSchema>;

/** Kinds that are reported beside the names of rules. */
const builtInKinds: ReadonlySet<string> = new Set([
  ...personalKinds,
  ...secretKinds,
  'PROFANITY',
  'INJECTION',
]);

/** Throws a `GatewayError` with what is wrong. */
export function compileRule(name: string, content: JsonObject): CompiledRule {
  if (builtInKinds.has(name.toUpperCase()))
    throw invalidFieldError('is the name of a kind of findings; choose another one', 'name');
  const { pattern, words = [], action, applies_to: appliesTo, replacement } = parseRule(content);
  const matcher = pattern === undefined ? wordFinder(words) : compilePattern(pattern);
  return {
    ...{ name, action, appliesTo },
    ...(replacement !== undefined && { replacement }),
    charactersMax: matcher.charactersMax,
    size: matcher.size,
    *find(text) {
      for (const { start, end } of matcher.find(text)) yield { start, end, kind: name };
    },
  };
}

function parseRule(content: JsonObject): RuleDefinition {
  const parsed = ruleSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const faults = issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  );
  const param = issues[0]?.path[0];
  throw new GatewayError(
    'invalid_request',
    faults.slice(0, limits.reportedFaultsMax).join('; '),
    param === undefined ? {} : { param: String(param) },
  );
}

interface Finder {
  readonly charactersMax: number | undefined;
  readonly size: number;
  find(text: string): Iterable<TextRange>;
}

function wordFinder(words: readonly string[]): Finder {
  const matcher = new WordMatcher(words.map((text) => ({ text, value: undefined })));
  return {
    charactersMax: matcher.charactersMax,
    size: words.join('').length,
    find: (text) => matcher.find(text),
  };
}

function compilePattern(pattern: string): Finder {
  const automaton = buildAutomaton(pattern);
  if (automaton.matchesNothing)
    throw patternError(
      'it matches an empty text; a rule needs at least one character, so use + in place of *',
    );
  return {
    charactersMax: automaton.charactersMax,
    size: automaton.stateCount,
    find: (text) => automaton.find(text),
  };
}

function buildAutomaton(pattern: string): Automaton {
  const tooLarge = patternError('it is too large; use smaller numbers in {} or a shorter expression');
  try {
    const expression = RE2JS.compile(pattern);
    if (expression.programSize() > limits.programSizeMax) throw tooLarge;
    return new Automaton(expression);
  } catch (thrown) {
    if (thrown instanceof TooManyStatesError) throw tooLarge;
    if (thrown instanceof RE2JSSyntaxException) throw syntaxError(pattern, thrown);
    throw thrown;
  }
}

/** Says what RE2 can't read, and where. */
function syntaxError(pattern: string, { error, input }: RE2JSSyntaxException): GatewayError {
  const at = input === null ? -1 : pattern.indexOf(input);
  const where = at < 0 ? '' : `at character ${at + 1}, ${JSON.stringify(pattern.slice(at, at + 20))}: `;
  const isForeign = /^(?:\(\?(?:[=!]|<[=!])|\\[1-9])/.test(
    pattern.slice(Math.max(at, 0), Math.max(at, 0) + 4),
  );
  const reason = isForeign
    ? 'RE2 has no look-around and no back-references, which take more than linear time'
    : error;
  return patternError(`${where}${reason}; see https://github.com/google/re2/wiki/Syntax`);
}

function patternError(message: string): GatewayError {
  return invalidFieldError(message, 'pattern');
}
