import type { Rule } from '../../api/queries.ts';

export type RuleAction = Rule['action'];

/** A rule as the form has it. */
export interface RuleDraft {
  readonly name: string;
  readonly kind: 'words' | 'pattern';
  readonly pattern: string;
  /** One in each line. */
  readonly words: string;
  readonly action: RuleAction;
  readonly replacement: string;
  readonly appliesTo: NonNullable<Rule['applies_to']>;
}

export function draftOf(rule: Rule | undefined): RuleDraft {
  return {
    name: rule?.name ?? '',
    kind: rule?.pattern === undefined ? 'words' : 'pattern',
    pattern: rule?.pattern ?? '',
    words: rule?.words?.join('\n') ?? '',
    action: rule?.action ?? 'redact',
    replacement: rule?.replacement ?? '',
    appliesTo: rule?.applies_to ?? 'both',
  };
}

/** The rule as the API takes it. */
export function definitionOf({ kind, pattern, words, action, replacement, appliesTo }: RuleDraft) {
  const listed = words
    .split('\n')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  return {
    ...(kind === 'pattern' ? { pattern } : { words: listed }),
    action,
    ...(action === 'redact' && replacement !== '' && { replacement }),
    applies_to: appliesTo,
  };
}

export const appliesToTexts: Readonly<Record<RuleDraft['appliesTo'], string>> = {
  both: 'requests and answers',
  input: 'requests',
  output: 'answers',
};

export const actionTones = { monitor: 'plain', redact: 'accent', block: 'refused' } as const;
