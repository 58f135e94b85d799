import { isParticiple } from '../reading/passive.ts';
import type { Asks } from '../reading/question-form.ts';
import { wordSet } from '../reading/word-set.ts';
import { type Kept, type Place, wordAt } from './changes.ts';

/** Whether a word that both prompts have is another thing by its ending, its capital or what stands before it. */
export function isOtherForm({ old, now }: Kept, asks: Asks): boolean {
  const [one, other] = [wordAt(old), wordAt(now)];
  if (one === undefined || other === undefined) return false;
  if (isOtherTime(one.text, other.text)) return true;
  if (!one.isContent) return false;
  if (one.isName !== other.isName) return one.isName ? isOneOfThem(now, old) : isOneOfThem(old, now);
  if (one.text === other.text) return false;
  if ([one.text, other.text].some((text) => otherAdverbs.has(text))) return true;
  if (isPlural(one.text, other.text)) return isOtherNumber(old, now, asks);
  const isActing = one.text.endsWith('ing');
  if (isActing === other.text.endsWith('ing')) return false;
  if (isAttribute(old) && isAttribute(now) && isParticiple(isActing ? other : one, 'yes')) return true;
  return asks !== 'what' && isState(old) && isState(now);
}

const past = wordSet('was were did had');
const present = wordSet('am is are do does have has');

/** "Why did it stop" and "why does it stop"; "is being sent" and "has been sent". */
function isOtherTime(one: string, other: string): boolean {
  if ([one, other].sort().join() === 'been,being') return true;
  return (past.has(one) && present.has(other)) || (present.has(one) && past.has(other));
}

/** "A turkey" and "Turkey": one of many, and the only one of that name. */
function isOneOfThem({ words, at }: Place, named: Place): boolean {
  const isOne = (text: string | undefined) => text === 'a' || text === 'an';
  return (
    isOne(words[at - 1]?.text) && !isOne(named.words[named.at - 1]?.text) && words[at + 1]?.isContent !== true
  );
}

/** With this ending they say something else than without. */
const otherAdverbs = wordSet('hardly lately nearly shortly highly mostly scarcely barely');

function isPlural(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return long === `${short}s` || long === `${short}es` || long === short.replace(/y$/, 'ies');
}

const certain = wordSet('the my your our his her their its this that these those');
const uncertain = wordSet('a an some any');
const paired: ReadonlyMap<string, string> = new Map([
  ['these', 'this'],
  ['those', 'that'],
]);
/** How to do it to one is how to do it to several; a command means either. */
const general: ReadonlySet<Asks> = new Set(['manner', 'what', 'why', 'possible', 'existence', 'degree']);

/** "The customer" and "the customers"; "glass" and "glasses". */
function isOtherNumber(old: Place, now: Place, asks: Asks): boolean {
  const [lead, leadNow] = [leadOf(old), leadOf(now)];
  if (isAttribute(old) || isAttribute(now) || uncertain.has(lead) || uncertain.has(leadNow)) return false;
  if (certain.has(lead) || certain.has(leadNow))
    return !general.has(asks) && (paired.get(lead) ?? lead) === (paired.get(leadNow) ?? leadNow);
  return asks !== 'what' && asks !== 'who' && lead === leadNow && isObject(old) && isObject(now);
}

function leadOf({ words, at }: Place): string {
  let from = at - 1;
  while (words[from]?.isContent === true && !(words[from]?.raw.endsWith("'s") ?? false)) from--;
  const lead = words[from];
  return lead?.raw.endsWith("'s") === true ? 'the' : (lead?.text ?? '');
}

function isAttribute({ words, at }: Place): boolean {
  return words[at + 1]?.isContent === true;
}

const relations = wordSet('of in on at by for with from about into without');

/** Whether a verb or a small word stands right before it, so that it is no verb itself. */
function isObject({ words, at }: Place): boolean {
  const before = words[at - 1];
  return before?.isContent === true || relations.has(before?.text ?? '');
}

const being = wordSet('am is are was were be been being');
const acting = wordSet('do does did have has had will would shall should can could may might must to');

/** Whether something is said to be so: a form of "be" is the last that could lead the verb, and no article makes it a thing. */
function isState({ words, at }: Place): boolean {
  const before = words[at - 1];
  if (before === undefined || !(before.isContent || being.has(before.text))) return false;
  const lead = words.slice(0, at).findLast(({ text }) => being.has(text) || acting.has(text));
  return lead !== undefined && being.has(lead.text);
}
