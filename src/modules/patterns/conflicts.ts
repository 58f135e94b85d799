import { contentWords, isReordered, significantWords } from '../../module-api.ts';
import type { Pattern } from './pattern.ts';
import { patternEffectOf } from './store/pattern-effect.ts';

/** Minimum share of common words in the advice of two patterns of which one denies the other. */
const commonWordShare = 0.6;
/** Minimum share of common words in two triggers about the same case. */
const commonTriggerShare = 0.75;

/** An active pattern for the same case that says the opposite. */
export interface Conflict {
  readonly other: Pattern;
  /** Whether the other one is used, and not this one. */
  readonly isOtherUsed: boolean;
}

/** The conflicts of each of `some` with active patterns of the account. */
export function findConflicts(
  some: readonly Pattern[],
  all: readonly Pattern[],
): ReadonlyMap<string, readonly Conflict[]> {
  const byTrigger = new Map<string, Pattern[]>();
  for (const pattern of all)
    if (pattern.state === 'active')
      for (const key of triggerKeys(pattern)) {
        const there = byTrigger.get(key);
        if (there === undefined) byTrigger.set(key, [pattern]);
        else there.push(pattern);
      }
  return new Map(
    some.map((pattern) => {
      const near = pattern.state === 'active' ? triggerKeys(pattern) : [];
      const others = new Set(near.flatMap((key) => byTrigger.get(key)?.slice(0, comparedMax) ?? []));
      const conflicts = [...others]
        .filter((other) => other.id !== pattern.id && meet(pattern, other) && contradict(pattern, other))
        .map((other) => ({ other, isOtherUsed: isBetter(other, pattern) }));
      return [pattern.id, conflicts];
    }),
  );
}

/** The maximum number of patterns with a common tool or word that are compared with each other. */
const comparedMax = 200;

/** Leaves out patterns that a better one of them, or an earlier one of the conversation, contradicts. */
export function withoutContradicted<Relevant extends { readonly pattern: Pattern }>(
  relevant: readonly Relevant[],
  earlier: readonly Pattern[],
): readonly Relevant[] {
  return relevant.filter(
    ({ pattern }) =>
      !earlier.some((other) => contradict(pattern, other)) &&
      !relevant.some(({ pattern: other }) => isBetter(other, pattern) && contradict(pattern, other)),
  );
}

/**
 * Whether two patterns can't both be followed, by their words: one denies what the other says, they say it the other way
 * around, or they differ in one word or number, as in `Use tabs for indentation` and `Use spaces for indentation`.
 */
function contradict({ advice: one }: Pattern, { advice: other }: Pattern): boolean {
  const [first, second] = [significantWords(one), significantWords(other)];
  if (isReordered(one, other) || differInOneWord(first, second)) return true;
  return isDenial(first) !== isDenial(second) && commonShare(one, other) >= commonWordShare;
}

function differInOneWord(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length || one.length < wordsMin) return false;
  return one.filter((word, at) => word !== other[at]).length === 1;
}

const wordsMin = 3;

function isDenial(words: readonly string[]): boolean {
  return words.some((word) => denials.has(word));
}

const denials: ReadonlySet<string> = new Set(
  'avoid cannot cant dont doesnt instead mustnt never no not shouldnt stop without'.split(' '),
);

function commonShare(one: string, other: string): number {
  const [first, second] = [contentOf(one), contentOf(other)];
  const common = first.filter((word) => second.includes(word)).length;
  return common / Math.max(1, Math.min(first.length, second.length));
}

function contentOf(text: string): readonly string[] {
  return contentWords(text.replaceAll(/['’]/g, '')).filter((word) => !denials.has(word));
}

/** Whether two patterns apply to the same conversations: their end users and models may, and they share a tool or a topic. */
function meet(one: Pattern, other: Pattern): boolean {
  const isSameScope = one.scope === null || other.scope === null || one.scope === other.scope;
  if (!isSameScope) return false;
  if (one.trigger.tools.some((tool) => other.trigger.tools.includes(tool))) return true;
  const [first, second] = [contentWords(one.trigger.text), contentWords(other.trigger.text)];
  const common = first.filter((word) => second.includes(word)).length;
  return common > 0 && common >= commonTriggerShare * Math.min(first.length, second.length);
}

function triggerKeys({ trigger: { text, tools } }: Pattern): readonly string[] {
  return [...tools.map((tool) => `tool ${tool}`), ...contentWords(text)];
}

/** Prefers what was measured to help, then what a person wrote, then what is newer. */
function isBetter(one: Pattern, other: Pattern): boolean {
  const [first, second] = [one, other].map((pattern) => patternEffectOf(pattern).helps);
  if (first !== second) return (first ?? 0) > (second ?? 0);
  if (one.origin !== other.origin) return one.origin === 'person';
  return one.id > other.id;
}
