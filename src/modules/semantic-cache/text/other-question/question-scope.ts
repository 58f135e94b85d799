import type { Difference } from '../difference.ts';
import { isParticiple } from '../reading/passive.ts';
import type { ParsedPrompt } from '../reading/prompt.ts';
import { wordSet } from '../reading/word-set.ts';
import type { Word } from '../reading/words.ts';

/** Whether one asks about a specific thing and the other about such things in general. */
export function differInReference(old: ParsedPrompt, now: ParsedPrompt): boolean {
  return pointsOnlyHere(old, now) || pointsOnlyHere(now, old);
}

const demonstratives = new Set(['this', 'these', 'following', 'below', 'above', 'attached']);
const definiteWords = new Set([...demonstratives, 'that', 'those', 'the', 'it']);

function pointsOnlyHere({ words }: ParsedPrompt, other: ParsedPrompt): boolean {
  const isPointing = words.some(
    ({ text }, at) => demonstratives.has(text) && words[at + 1]?.isContent === true,
  );
  return (
    isPointing &&
    !other.words.some(({ text }, at) => definiteWords.has(text) && !isExpletive(other.words, at))
  );
}

/** Whether "it" refers to nothing, as in "how much does it cost". */
function isExpletive(words: readonly Word[], at: number): boolean {
  return words[at]?.text === 'it' && expletiveFollowers.has(words[at + 1]?.stem ?? '');
}

const expletiveFollowers = new Set(['cost', 'take', 'possible']);

const definition = /^(?:what|who) (?:is|are|was|were)(?: (?:a|an|the))? (?!it like|there)/;
const definitionWords = wordSet('mean meaning definition defin define term word concept exactly call called');

/** Whether one asks only what something is, and the other asks more about it. */
export function asksMore(old: ParsedPrompt, now: ParsedPrompt, { onlyOld, onlyNew }: Difference): boolean {
  return (
    (isDefinition(old) && onlyOld.length === 0 && addsTopic(onlyNew)) ||
    (isDefinition(now) && onlyNew.length === 0 && addsTopic(onlyOld))
  );
}

function isDefinition({ plain, content }: ParsedPrompt): boolean {
  return (
    content.length === 1 &&
    definition.test(plain) &&
    !/ (?:of|for|in|on|to|between|with|best|way|ways|difference) /.test(plain)
  );
}

function addsTopic(only: readonly Word[]): boolean {
  return only.some(({ stem }) => !definitionWords.has(stem));
}

const praise = new Set(['best', 'greatest', 'finest', 'top', 'favorite', 'favourite', 'nicest']);

/** Whether both ask for a superlative, but of different properties. */
export function differInRanking(
  old: ParsedPrompt,
  now: ParsedPrompt,
  { onlyOld, onlyNew }: Difference,
): boolean {
  const [gone, come] = [rankedPropertyOf(onlyOld, old), rankedPropertyOf(onlyNew, now)];
  // With equal beginnings, one may be a typo or another form.
  if (gone !== undefined && come !== undefined && gone.slice(0, 4) !== come.slice(0, 4)) return true;
  const [one, other] = [superlatives(old), superlatives(now)];
  // The best way may be the easiest.
  if (one.size === 0 || other.size === 0 || one.has('best') || other.has('best')) return false;
  return ![...one].some((word) => other.has(word));
}

/** The ranked property, if it is the only different word: "the most common" and "the most serious". */
function rankedPropertyOf(only: readonly Word[], { words }: ParsedPrompt): string | undefined {
  const [word, ...others] = only;
  if (word === undefined || others.length > 0) return undefined;
  return ['most', 'least'].includes(words[words.indexOf(word) - 1]?.text ?? '') ? word.stem : undefined;
}

function superlatives({ words }: ParsedPrompt): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { text } of words) {
    if (praise.has(text)) found.add('best');
    else if (/^\w{3,}est$/.test(text) && !superlativeLookalikes.has(text)) found.add(text);
  }
  return found;
}

/** Words that only look like superlatives. */
const superlativeLookalikes = wordSet(
  'interest request test rest forest invest suggest digest protest contest harvest honest modest west guest quest latest newest arrest breast chest conquest manifest northwest southwest',
);

const futurePattern =
  /\b(?:about to|going to|yet to|will|(?:plan|plans|planning|intend|intends|want|wants) to)\b/;
/** "Has just ended", "already closed", "have we paid". */
const completedPatterns: readonly RegExp[] = [
  /\b(?:has|have|had)(?: just| already| now| been| recently| i| we| you| they| he| she)* (?:\w+ed|gone|sent|paid|made|done|taken|lost|left|begun|bought|sold|built)\b/,
  /\b(?:already|just) \w+ed\b/,
  /^(?:has|have|had) (?:\w+ ){1,3}?(?:\w+ed|gone|sent|paid|made|done|taken|lost|left|begun|bought|sold|built)\b/,
];

/** The first phrase of a text that states completion. */
function completedPhraseIn(text: string): string | undefined {
  return completedPatterns
    .map((words) => words.exec(text))
    .filter((found) => found !== null)
    .toSorted((one, other) => one.index - other.index)[0]?.[0];
}

/** Whether an event is completed in one and still to come in the other: "is about to end" and "has ended". */
export function differInCompletion(old: ParsedPrompt, now: ParsedPrompt): boolean {
  const [{ plain }, { plain: there }] = [old, now];
  if (isCompletedInOther(old, now) || isCompletedInOther(now, old)) return true;
  if (asksForRemainderInOther(old, now) || asksForRemainderInOther(now, old)) return true;
  const isAhead = (text: string) => futurePattern.test(text) && completedPhraseIn(text) === undefined;
  const isOver = (text: string) => completedPhraseIn(text) !== undefined && !futurePattern.test(text);
  return (isAhead(plain) && isOver(there)) || (isOver(plain) && isAhead(there));
}

/** Whether an event that is planned here has happened in the other: "about to close" and "closed". */
function isCompletedInOther({ words }: ParsedPrompt, other: ParsedPrompt): boolean {
  const at = words.findIndex(
    ({ text }, place) => text === 'to' && intentVerbs.has(words[place - 1]?.text ?? ''),
  );
  const deed = at < 0 ? undefined : words[at + 1];
  if (deed === undefined || futurePattern.test(other.plain)) return false;
  const [who, does] = other.words;
  // "I move, what now" states it as a fact.
  if (does?.stem === deed.stem && subjectPronouns.has(who?.text ?? '')) return true;
  return (
    words[at - 1]?.text === 'about' &&
    other.words.some(
      (word) => word.stem === deed.stem && word.text !== deed.text && isParticiple(word, 'yes'),
    )
  );
}

const intentVerbs = wordSet('about going plan planning intend intending');
const subjectPronouns = new Set(['i', 'we', 'he', 'she', 'they']);

const possessionPattern =
  /\b(?:do|does) (?:i|we|you|they|he|she) (?:still )?have\b(?! to)|\bhave(?: still)?(?: left| remaining)?(?: for \w+)?$/;

/** Whether one asks for what is used up and the other for what is left: "how many days have I taken", "do I have". */
function asksForRemainderInOther({ plain }: ParsedPrompt, other: ParsedPrompt): boolean {
  const done = completedPhraseIn(plain)?.split(' ').at(-1);
  if (
    done === undefined ||
    completedPhraseIn(other.plain) !== undefined ||
    !possessionPattern.test(other.plain)
  )
    return false;
  return (
    /\b(?:how (?:many|much)|number|amount)\b/.test(plain) && !other.words.some(({ text }) => text === done)
  );
}

const pieceByPiecePattern = /\b(\w+) by \1\b/;

/** Whether one asks for a result piece by piece and the other only names the piece: "line by line" and "in a line". */
export function asksPieceByPiece({ plain }: ParsedPrompt, other: ParsedPrompt): boolean {
  const piece = pieceByPiecePattern.exec(plain)?.[1];
  return (
    piece !== undefined &&
    piece !== 'step' &&
    other.words.some(({ text }) => text === piece) &&
    !pieceByPiecePattern.test(other.plain)
  );
}

const shares: ReadonlyMap<string, string> = new Map([
  ...['all', 'every', 'each'].map((word) => [word, 'all'] as const),
  ...['many', 'most', 'few', 'several', 'half'].map((word) => [word, word] as const),
]);

/** Whether both name a quantity, but different ones: "many snakes" and "all snakes". */
export function differInQuantity(old: ParsedPrompt, now: ParsedPrompt): boolean {
  const [one, other] = [sharesIn(old), sharesIn(now)];
  return one.length > 0 && other.length > 0 && !one.some((share) => other.includes(share));
}

/** The quantity words, without "how many", which asks for it, and "the most", which ranks. */
function sharesIn({ words }: ParsedPrompt): string[] {
  return words.flatMap(({ text }, at) => {
    const share = shares.get(text);
    const isOther = /^(?:how|so|as|too|very|the|at|a|in|of)$/.test(words[at - 1]?.text ?? '');
    const isCounted = words[at + 1]?.isContent === true || words[at + 1]?.text === 'of';
    return share === undefined || isOther || !isCounted ? [] : [share];
  });
}
