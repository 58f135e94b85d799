import type { Difference } from './difference.ts';
import type { ParsedPrompt } from './reading/prompt.ts';

/** What measured worse than the judge says, in units of its score. */
const doubts = {
  /** One says what, the other how. */
  askedOtherwise: 0.8,
  /** One word stands for another, and all others are the same: a synonym, or another thing of the kind. */
  wordExchanged: 1.3,
  /** One word was added. */
  wordAdded: 0.3,
  /** Several were added, or most are others: who means the same puts it otherwise, and what is another thing has one word that says so. */
  putOtherwise: -0.5,
  /** One word has to say it all: what else there is are small words, which the judge reads lightly. */
  oneWord: 2,
  /** One tells something before it asks. */
  toldMore: 0.5,
} as const;

/** How much more than usual has to speak for two prompts, by what tells them apart. */
export function doubtOf(old: ParsedPrompt, now: ParsedPrompt, difference: Difference): number {
  const asked = old.form.asks === now.form.asks ? 0 : doubts.askedOtherwise;
  const little = Math.min(old.content.length, now.content.length) <= 1 ? doubts.oneWord : 0;
  const told = partsOf(old) === partsOf(now) ? 0 : doubts.toldMore;
  return asked + little + told + doubtOfWords(difference);
}

function doubtOfWords({ onlyOld, onlyNew }: Difference): number {
  const [gone, come] = [onlyOld.length, onlyNew.length];
  if (gone + come === 1) return doubts.wordAdded;
  if (gone + come >= (gone > 0 && come > 0 ? 4 : 2)) return doubts.putOtherwise;
  const [one, other] = [onlyOld[0]?.stem, onlyNew[0]?.stem];
  if (gone + come !== 2 || one === undefined || other === undefined) return 0;
  return isRelated(one, other) ? 0 : doubts.wordExchanged;
}

/** In how many parts it is said, each of more than a word. */
function partsOf({ text }: ParsedPrompt): number {
  return text.split(/[.!?;,:]\s+/).filter((part) => /\S\s+\S/.test(part)).length;
}

/** Prepare and preparation: one is the beginning of the other. */
function isRelated(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length >= 4 && long.startsWith(short.slice(0, -1));
}
