import type { Difference } from './difference.ts';
import type { ParsedPrompt } from './reading/prompt.ts';

/** Penalties for differences that the judge underestimates, in units of its score. */
const doubts = {
  /** The questions have different forms, such as "what" and "how". */
  askedOtherwise: 0.8,
  /** One word is replaced and all others are equal: a synonym, or a different thing. */
  wordExchanged: 1.3,
  /** One word was added. */
  wordAdded: 0.3,
  /** Several words were added or most differ: paraphrases differ a lot, while different requests often differ in a single word. */
  putOtherwise: -0.5,
  /** There is only one content word; the judge gives little weight to the small words. */
  oneWord: 2,
  /** One prompt states something before its question. */
  toldMore: 0.5,
} as const;

/** The score penalty for two prompts by their differences. */
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

/** The number of sentence parts with more than one word. */
function partsOf({ text }: ParsedPrompt): number {
  return text.split(/[.!?;,:]\s+/).filter((part) => /\S\s+\S/.test(part)).length;
}

/** Whether one word nearly begins with the other: prepare and preparation. */
function isRelated(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length >= 4 && long.startsWith(short.slice(0, -1));
}
