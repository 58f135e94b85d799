import type { Difference } from './difference.ts';
import type { ParsedPrompt } from './reading/prompt.ts';

/** Penalties for differences that the judge underestimates, in units of its score. */
const doubts = {
  /** The questions have different forms, such as "what" and "how". */
  otherQuestion: 0.8,
  /** One word is replaced and all others are equal: a synonym, or a different thing. */
  replacedWord: 1.3,
  /** One prompt has one word more, which often narrows the question: "training" and "workflow training". */
  addedWord: 1.3,
  /** Several words differ: paraphrases differ in many words, while different requests often differ in a single one. */
  paraphrase: -0.5,
  /** One prompt has a single content word, and the judge gives little weight to function words. */
  singleWord: 2,
  /** One prompt has more parts, such as a statement before its question. */
  extraStatement: 0.5,
} as const;

/** The score penalty for two prompts by their differences. */
export function doubtOf(old: ParsedPrompt, now: ParsedPrompt, difference: Difference): number {
  const question = old.form.asks === now.form.asks ? 0 : doubts.otherQuestion;
  const length = Math.min(old.content.length, now.content.length) <= 1 ? doubts.singleWord : 0;
  const statement = partsOf(old) === partsOf(now) ? 0 : doubts.extraStatement;
  return question + length + statement + doubtOfWords(difference);
}

function doubtOfWords({ onlyOld, onlyNew }: Difference): number {
  const [removed, added] = [onlyOld.length, onlyNew.length];
  if (removed + added === 1) return doubts.addedWord;
  if (removed + added >= (removed > 0 && added > 0 ? 4 : 2)) return doubts.paraphrase;
  const [one, other] = [onlyOld[0]?.stem, onlyNew[0]?.stem];
  if (removed + added !== 2 || one === undefined || other === undefined) return 0;
  return isRelated(one, other) ? 0 : doubts.replacedWord;
}

/** The number of clauses with more than one word. */
function partsOf({ text }: ParsedPrompt): number {
  return text.split(/[.!?;,:]\s+/).filter((part) => /\S\s+\S/.test(part)).length;
}

/** Whether one word nearly begins with the other: prepare and preparation. */
function isRelated(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length >= 4 && long.startsWith(short.slice(0, -1));
}
