import type { ParsedPrompt } from '../reading/prompt.ts';
import type { Word } from '../reading/words.ts';

/** Where something goes and where it is from; what is for somebody goes there. */
const roleByPreposition: ReadonlyMap<string, string> = new Map([
  ...['from', 'to', 'by', 'than'].map((marker) => [marker, marker] as const),
  ['into', 'to'],
  ['for', 'to'],
]);

/** Whether something that comes from somewhere in the one goes there in the other, or who acts is acted upon. */
export function differInRoles(old: ParsedPrompt, now: ParsedPrompt): boolean {
  const [one, other] = [rolesIn(old), rolesIn(now)];
  for (const [stem, roles] of one) {
    const there = other.get(stem);
    if (there !== undefined && ![...roles].some((role) => there.has(role))) return true;
  }
  return false;
}

/** Where something is, what it is about and what it is done with: such a word stands before one thing at a time. */
const placePrepositions = [
  'in',
  'on',
  'at',
  'about',
  'with',
  'against',
  'after',
  'before',
  'during',
  'between',
  'near',
];

/** Whether two things have changed places behind one of these: "search in the files for a log" and "search in the log for files". */
export function haveSwappedPlaces({ words }: ParsedPrompt, { words: there }: ParsedPrompt): boolean {
  return placePrepositions.some((place) => {
    const [one, other] = [wordsBehind(words, place), wordsBehind(there, place)];
    if (one.length !== 1 || other.length !== 1) return false;
    const isMet = [...one, ...other].some(({ text }) => subjectByObjectPronoun.has(text));
    if (!isMet && (hasConjunction(words) || hasConjunction(there))) return false;
    const [first, second] = [referentOf(one[0]), referentOf(other[0])];
    return (
      first !== second &&
      there.some((word) => referentOf(word) === first && word !== other[0] && word.marker !== place) &&
      words.some((word) => referentOf(word) === second && word !== one[0] && word.marker !== place)
    );
  });
}

function wordsBehind(words: readonly Word[], place: string): Word[] {
  return words.filter(
    (word, at) =>
      (word.isContent && word.marker === place) ||
      (subjectByObjectPronoun.has(word.text) && words[at - 1]?.text === place),
  );
}

const subjectByObjectPronoun: ReadonlyMap<string, string> = new Map([
  ['me', 'i'],
  ['us', 'we'],
  ['him', 'he'],
  ['them', 'they'],
]);

/** Of those who are met, the word for who acts. */
function referentOf(word: Word | undefined): string | undefined {
  return word === undefined ? undefined : (subjectByObjectPronoun.get(word.text) ?? word.stem);
}

/** What stands on either side of "and" is in one place. */
function hasConjunction(words: readonly Word[]): boolean {
  return words.some(({ text }) => ['and', 'or', '&'].includes(text));
}

const instrumentPrepositions = new Set(['with', 'without', 'against', 'using']);

/** "Top up with my card" and "top up my card": what is a means in the one is the object of the other. So is it in "by card". */
export function isInstrumentOnlyHere({ words }: ParsedPrompt, other: ParsedPrompt): boolean {
  return words.some(
    ({ isContent, marker, stem }, at) =>
      isContent &&
      ((instrumentPrepositions.has(marker) &&
        other.words.some((there) => there.stem === stem && there.marker === '')) ||
        (words[at - 1]?.text === 'by' && isPossessedObject(stem, other))),
  );
}

function isPossessedObject(stem: string, { words }: ParsedPrompt): boolean {
  return words.some(
    (word, at) => word.stem === stem && word.marker === '' && possessives.has(words[at - 1]?.text ?? ''),
  );
}

const possessives = new Set(['my', 'your', 'our', 'his', 'her', 'their']);

function rolesIn({ words }: ParsedPrompt): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [at, word] of words.entries()) {
    const isMine = ['me', 'him', 'her', 'them', 'us'].includes(word.text);
    const marker = isMine ? (words[at - 1]?.text ?? '') : word.isContent ? word.marker : '';
    const role = roleByPreposition.get(marker);
    if (role === undefined) continue;
    found.set(word.stem, (found.get(word.stem) ?? new Set()).add(role));
  }
  return found;
}
