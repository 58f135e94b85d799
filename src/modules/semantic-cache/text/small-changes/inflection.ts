import { isParticiple } from '../reading/passive.ts';
import type { QuestionKind } from '../reading/question-form.ts';
import { wordSet } from '../reading/word-set.ts';
import { type AlignedWord, type WordPosition, wordAt } from './alignment.ts';

/** Whether the ending, capitalization or preceding word gives a shared word a different meaning. */
export function differInInflection({ old, now }: AlignedWord, questionKind: QuestionKind): boolean {
  const [one, other] = [wordAt(old), wordAt(now)];
  if (one === undefined || other === undefined) return false;
  if (differInTense(one.text, other.text)) return true;
  if (!one.isContent) return false;
  if (one.isName !== other.isName)
    return one.isName ? isIndefiniteOnlyHere(now, old) : isIndefiniteOnlyHere(old, now);
  if (one.text === other.text) return false;
  if ([one.text, other.text].some((text) => unrelatedAdverbs.has(text))) return true;
  if (isPlural(one.text, other.text)) return differInNumber(old, now, questionKind);
  const isActing = one.text.endsWith('ing');
  if (isActing === other.text.endsWith('ing')) return false;
  if (isAttribute(old) && isAttribute(now) && isParticiple(isActing ? other : one, 'yes')) return true;
  return questionKind !== 'what' && isState(old) && isState(now);
}

const past = wordSet('was were did had');
const present = wordSet('am is are do does have has');

/** "Why did it stop" and "why does it stop"; "is being sent" and "has been sent". */
function differInTense(one: string, other: string): boolean {
  if ([one, other].sort().join() === 'been,being') return true;
  return (past.has(one) && present.has(other)) || (present.has(one) && past.has(other));
}

/** "A turkey" and "Turkey": a common noun and a proper name. */
function isIndefiniteOnlyHere({ words, at }: WordPosition, named: WordPosition): boolean {
  const isOne = (text: string | undefined) => text === 'a' || text === 'an';
  return (
    isOne(words[at - 1]?.text) && !isOne(named.words[named.at - 1]?.text) && words[at + 1]?.isContent !== true
  );
}

/** Adverbs whose meaning differs from the adjective's. */
const unrelatedAdverbs = wordSet('hardly lately nearly shortly highly mostly scarcely barely');

function isPlural(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return long === `${short}s` || long === `${short}es` || long === short.replace(/y$/, 'ies');
}

const definiteDeterminers = wordSet('the my your our his her their its this that these those');
const indefiniteDeterminers = wordSet('a an some any');
const singularDemonstratives: ReadonlyMap<string, string> = new Map([
  ['these', 'this'],
  ['those', 'that'],
]);
/** Question kinds where singular and plural are equivalent. */
const general: ReadonlySet<QuestionKind> = new Set([
  'manner',
  'what',
  'why',
  'possible',
  'existence',
  'degree',
]);

/** "The customer" and "the customers"; "glass" and "glasses". */
function differInNumber(old: WordPosition, now: WordPosition, questionKind: QuestionKind): boolean {
  const [lead, leadNow] = [determinerOf(old), determinerOf(now)];
  if (
    isAttribute(old) ||
    isAttribute(now) ||
    indefiniteDeterminers.has(lead) ||
    indefiniteDeterminers.has(leadNow)
  )
    return false;
  if (definiteDeterminers.has(lead) || definiteDeterminers.has(leadNow))
    return (
      !general.has(questionKind) &&
      (singularDemonstratives.get(lead) ?? lead) === (singularDemonstratives.get(leadNow) ?? leadNow)
    );
  return (
    questionKind !== 'what' && questionKind !== 'who' && lead === leadNow && isObject(old) && isObject(now)
  );
}

function determinerOf({ words, at }: WordPosition): string {
  let from = at - 1;
  while (words[from]?.isContent === true && !(words[from]?.raw.endsWith("'s") ?? false)) from--;
  const lead = words[from];
  return lead?.raw.endsWith("'s") === true ? 'the' : (lead?.text ?? '');
}

function isAttribute({ words, at }: WordPosition): boolean {
  return words[at + 1]?.isContent === true;
}

const relations = wordSet('of in on at by for with from about into without');

/** Whether a content word or a preposition directly precedes it, so that it is no verb. */
function isObject({ words, at }: WordPosition): boolean {
  const before = words[at - 1];
  return before?.isContent === true || relations.has(before?.text ?? '');
}

const formsOfBe = wordSet('am is are was were be been being');
const acting = wordSet('do does did have has had will would shall should can could may might must to');

/** Whether it describes a state: a form of "be" is the last auxiliary before it, and no article makes it a noun. */
function isState({ words, at }: WordPosition): boolean {
  const before = words[at - 1];
  if (before === undefined || !(before.isContent || formsOfBe.has(before.text))) return false;
  const lead = words.slice(0, at).findLast(({ text }) => formsOfBe.has(text) || acting.has(text));
  return lead !== undefined && formsOfBe.has(lead.text);
}
