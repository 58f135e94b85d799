import { stemOf } from '../reading/stems.ts';
import { wordSet } from '../reading/word-set.ts';
import type { Word } from '../reading/words.ts';
import { type Change, type WordPosition, wordAt } from './alignment.ts';

/** Whether function words changed in a way that no paraphrase would. */
export function changesSmallWord(change: Change): boolean {
  const [gone, come] = [withoutDeterminers(change.removed), withoutDeterminers(change.added)];
  if (gone.length + come.length === 0) return isFewVersusAFew(change);
  if ([...gone, ...come].some(({ text }) => degreeWords.has(text))) return true;
  if (gone.length === 0 || come.length === 0) return addsPreposition([...gone, ...come], change);
  if (changesPreposition(gone, come, change)) return true;
  const [one, other] = [gone[0], come[0]];
  if (gone.length > 1 || come.length > 1 || one === undefined || other === undefined) return false;
  return (
    exclusiveGroups.some((sides) => isOnOppositeSides(sides, one.text, other.text)) ||
    changesLightVerb(one, other)
  );
}

const determiners = wordSet('a an the some any my your our his her their its this that these those');

function withoutDeterminers(words: readonly Word[]): readonly Word[] {
  return words.filter(({ text }) => !determiners.has(text));
}

/** Words of degree: omitting one changes the question. */
const degreeWords = wordSet('too even still yet already also enough almost nearly barely hardly same');

/** "A few" are some, and "few" are hardly any. */
function isFewVersusAFew({ removed, added, after }: Change): boolean {
  const [word, ...others] = [...removed, ...added];
  if (after === undefined || word?.text !== 'a' || others.length > 0) return false;
  return ['few', 'little'].includes(wordAt(after.old)?.text ?? '');
}

/** Prepositions and particles that express a relation or change a verb. */
const relations = wordSet(
  'to of in on at by for with from about as into onto upon than like out up down off over across throughout through around between among under behind without within against after before during near via away back toward towards beyond inside outside beside besides along despite until since per',
);
/** Prepositions that are interchangeable after a noun: the best book of, for, in, on. */
const vague = wordSet('of for in on at about regarding concerning');
/** On Quora, at Quora and in Quora. */
const locationPrepositions = new Set(['in', 'on', 'at']);
const interchangeablePairs =
  'in to/into|on to/into|on to/to|on to/onto|in to/to|in/into|on/onto|on/upon|in/within|in/inside|in/throughout|to/toward|to/towards|toward/towards|to/into|to/of|to/for|with/using|via/by|as/like|for/since'
    .split('|')
    .map((pair) => pair.split('/'));

/** Whether a word expresses only a relation or degree. */
export function isSmallWord({ text }: Word): boolean {
  return relations.has(text) || degreeWords.has(text);
}

function changesPreposition(
  gone: readonly Word[],
  come: readonly Word[],
  { before, after }: Change,
): boolean {
  if (before === undefined || ![...gone, ...come].every(({ text }) => relations.has(text))) return false;
  const [one, other] = [gone, come].map((words) => words.map(({ text }) => text).join(' '));
  if (
    one === undefined ||
    other === undefined ||
    interchangeablePairs.some((pair) => pair.includes(one) && pair.includes(other))
  )
    return false;
  if (after === undefined) return true;
  // "The cost of shipping" and "what it costs to ship".
  if (wordAt(after.old)?.text !== wordAt(after.now)?.text) return false;
  if (locationPrepositions.has(one) && locationPrepositions.has(other) && wordAt(after.old)?.isName === true)
    return false;
  return !(vague.has(one) && vague.has(other) && isNounPhraseEnd(before.old) && isNounPhraseEnd(before.now));
}

/** Words before a noun. */
const nounLeads = new Set([
  ...determiners,
  ...wordSet('best good most more is are was were between of and or what which such many'),
]);

/** Function words that act as nouns: the strangest thing about it, or in it. */
const things = new Set(['thing', 'things']);

function isNounPhraseEnd({ words, at }: WordPosition): boolean {
  if (words[at]?.isContent !== true && !things.has(words[at]?.text ?? '')) return false;
  let from = at;
  while (words[from - 1]?.isContent === true) from--;
  return nounLeads.has(words[from - 1]?.text ?? '');
}

/** Prepositions that are often omitted, or that depend on the verb. */
const light = wordSet('to of for as about at than by');

function addsPreposition(added: readonly Word[], { before, after }: Change): boolean {
  const [word, ...others] = added;
  if (before === undefined || after === undefined || word === undefined || others.length > 0) return false;
  // "Roaming cost Norway": a prompt without any function words omits this one, too.
  if ([before.old, before.now].some(({ words }) => words.every(({ isContent }) => isContent))) return false;
  // "Made of" and "made up of".
  if (wordAt(after.old)?.text === 'of') return false;
  return relations.has(word.text) && !light.has(word.text);
}

/** Mutually exclusive words: replacing one of the left side with one of the right side changes the request. */
const exclusiveGroups = [
  'can could may might / must need shall ought',
  'i you we one me us / he she they him them',
  'because / if when while whether where',
  'something anything someone anyone somebody anybody / everything everyone everybody',
  'more / most',
  'more most much many / less least',
  'less / least',
].map((line) => line.split(' / ').map((side) => new Set(side.split(' '))));

function isOnOppositeSides(
  [one, other]: readonly ReadonlySet<string>[],
  word: string,
  there: string,
): boolean {
  if (one === undefined || other === undefined) return false;
  return (one.has(word) && other.has(there)) || (other.has(word) && one.has(there));
}

/** Verbs too common to matter unless one replaces another; those on one line are interchangeable. */
const verbs = `
get find have
want need like
show tell give
know tell find
make get
go get
try want
look find
let help
`
  .trim()
  .split('\n')
  .map((line) => new Set(line.split(' ').map(stemOf)));

function changesLightVerb(one: Word, other: Word): boolean {
  if (one.isContent || other.isContent || one.stem === other.stem) return false;
  if (![one, other].every(({ stem }) => verbs.some((group) => group.has(stem)))) return false;
  return !verbs.some((group) => group.has(one.stem) && group.has(other.stem));
}
