import { wordSet } from './word-set.ts';
import type { Word } from './words.ts';

const negation =
  /\b(?:not|no|never|none|nothing|nobody|nowhere|neither|nor|without|unable|impossible|except|all (?:\w+ ){0,2}but|excluding|excludes?|avoid|avoiding|lacks?|lacking|other than|instead of|rather than|fails? to|failed to|refuses? to|but not|hardly|barely)\b/g;

export function countNegations(lower: string): number {
  const bare = lower
    .replaceAll(/\bno (?:more|less|fewer|longer|later|earlier) than\b|\bnot (?:more|less) than\b/g, 'bound')
    .replaceAll(/\b(?:whether or not|or not|why not|no matter|no problem|not only)\b/g, ' ')
    .replaceAll(/\bno\.? (?=\d)/g, 'number ');
  return bare.match(negation)?.length ?? 0;
}

const negators = wordSet('not no never without except excluding neither avoid only just even almost nearly');
const inverted = /^(?:is|are|was|were|do|does|did|can|could|should|will|would|have|has|had|am)$/;

/** Words besides content words that can be negated. */
const judgmentWords = new Set(['good', 'best', 'well', 'able', 'possible', 'same', 'ok', 'okay']);

/** The stems of negated words, without questions like "why isn't my printer working", where the whole clause is negated. */
export function negatedStemsIn(words: readonly Word[]): Set<string> {
  const found = new Set<string>();
  for (const [at, { text }] of words.entries()) {
    if (!negators.has(text)) continue;
    const behind = words.slice(at + 1);
    const isSmall = behind[0]?.isContent === false && !judgmentWords.has(behind[0].text);
    const isInverted = isSmall && inverted.test(words[at - 1]?.text ?? '');
    const next = behind.find((word) => word.isContent || judgmentWords.has(word.text));
    if (!isInverted && next !== undefined) found.add(next.stem);
  }
  return found;
}
