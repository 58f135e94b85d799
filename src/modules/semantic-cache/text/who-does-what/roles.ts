import type { ParsedPrompt } from '../reading/prompt.ts';
import { wordSet } from '../reading/word-set.ts';
import type { Word } from '../reading/words.ts';

/** Roles of source and destination; "for" marks a destination. */
const roleByPreposition: ReadonlyMap<string, string> = new Map([
  ...['from', 'to', 'by', 'than'].map((marker) => [marker, marker] as const),
  ['into', 'to'],
  ['for', 'to'],
]);

/** Whether source and destination, or agent and object, are swapped. */
export function differInRoles(old: ParsedPrompt, now: ParsedPrompt): boolean {
  const [one, other] = [rolesIn(old), rolesIn(now)];
  for (const [stem, roles] of one) {
    const there = other.get(stem);
    if (there !== undefined && ![...roles].some((role) => there.has(role))) return true;
  }
  return false;
}

/** Prepositions of place, topic and instrument, each before one thing. */
const placePrepositions = [...wordSet('in on at about with against after before during between near')];

/** Whether two things are swapped after such a preposition: "search in the files for a log" and "search in the log for files". */
export function haveSwappedPlaces({ words }: ParsedPrompt, { words: there }: ParsedPrompt): boolean {
  return placePrepositions.some((preposition) => {
    const [one, other] = [wordsBehind(words, preposition), wordsBehind(there, preposition)];
    if (one.length !== 1 || other.length !== 1) return false;
    const hasPronoun = [...one, ...other].some(({ text }) => subjectByObjectPronoun.has(text));
    if (!hasPronoun && (hasConjunction(words) || hasConjunction(there))) return false;
    const [first, second] = [referentOf(one[0]), referentOf(other[0])];
    return (
      first !== second &&
      there.some((word) => referentOf(word) === first && word !== other[0] && word.marker !== preposition) &&
      words.some((word) => referentOf(word) === second && word !== one[0] && word.marker !== preposition)
    );
  });
}

function wordsBehind(words: readonly Word[], preposition: string): Word[] {
  return words.filter(
    (word, at) =>
      (word.isContent && word.marker === preposition) ||
      (subjectByObjectPronoun.has(word.text) && words[at - 1]?.text === preposition),
  );
}

const subjectByObjectPronoun: ReadonlyMap<string, string> = new Map([
  ['me', 'i'],
  ['us', 'we'],
  ['him', 'he'],
  ['them', 'they'],
]);

/** The subject form of a pronoun. */
function referentOf(word: Word | undefined): string | undefined {
  return word === undefined ? undefined : (subjectByObjectPronoun.get(word.text) ?? word.stem);
}

/** Things joined by "and" share a role. */
function hasConjunction(words: readonly Word[]): boolean {
  return words.some(({ text }) => ['and', 'or', '&'].includes(text));
}

const instrumentPrepositions = new Set(['with', 'without', 'against', 'using']);

/** "Top up with my card" (or "by card") and "top up my card": an instrument here is the object in the other. */
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
    const isObjectPronoun = ['me', 'him', 'her', 'them', 'us'].includes(word.text);
    const marker = isObjectPronoun ? (words[at - 1]?.text ?? '') : word.isContent ? word.marker : '';
    const role = roleByPreposition.get(marker);
    if (role === undefined) continue;
    found.set(word.stem, (found.get(word.stem) ?? new Set()).add(role));
  }
  return found;
}
