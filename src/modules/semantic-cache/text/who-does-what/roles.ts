import type { Prompt } from '../reading/prompt.ts';
import type { Word } from '../reading/words.ts';

/** Where something goes and where it is from; what is for somebody goes there. */
const directed: ReadonlyMap<string, string> = new Map([
  ...['from', 'to', 'by', 'than'].map((marker) => [marker, marker] as const),
  ['into', 'to'],
  ['for', 'to'],
]);

/** Whether something that comes from somewhere in the one goes there in the other, or who acts is acted upon. */
export function otherRole(old: Prompt, now: Prompt): boolean {
  const [one, other] = [rolesIn(old), rolesIn(now)];
  for (const [stem, roles] of one) {
    const there = other.get(stem);
    if (there !== undefined && ![...roles].some((role) => there.has(role))) return true;
  }
  return false;
}

/** Where something is, what it is about and what it is done with: such a word stands before one thing at a time. */
const placing = [
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
export function placedOtherwise({ words }: Prompt, { words: there }: Prompt): boolean {
  return placing.some((place) => {
    const [one, other] = [placed(words, place), placed(there, place)];
    if (one.length !== 1 || other.length !== 1) return false;
    const isMet = [...one, ...other].some(({ text }) => met.has(text));
    if (!isMet && (isJoined(words) || isJoined(there))) return false;
    const [first, second] = [nameOf(one[0]), nameOf(other[0])];
    return (
      first !== second &&
      there.some((word) => nameOf(word) === first && word !== other[0] && word.marker !== place) &&
      words.some((word) => nameOf(word) === second && word !== one[0] && word.marker !== place)
    );
  });
}

function placed(words: readonly Word[], place: string): Word[] {
  return words.filter(
    (word, at) =>
      (word.isContent && word.marker === place) || (met.has(word.text) && words[at - 1]?.text === place),
  );
}

const met: ReadonlyMap<string, string> = new Map([
  ['me', 'i'],
  ['us', 'we'],
  ['him', 'he'],
  ['them', 'they'],
]);

/** Of those who are met, the word for who acts. */
function nameOf(word: Word | undefined): string | undefined {
  return word === undefined ? undefined : (met.get(word.text) ?? word.stem);
}

/** What stands on either side of "and" is in one place. */
function isJoined(words: readonly Word[]): boolean {
  return words.some(({ text }) => ['and', 'or', '&'].includes(text));
}

const means = new Set(['with', 'without', 'against', 'using']);

/** "Top up with my card" and "top up my card": what is a means in the one is the object of the other. So is it in "by card". */
export function usesOther({ words }: Prompt, other: Prompt): boolean {
  return words.some(
    ({ isContent, marker, stem }, at) =>
      isContent &&
      ((means.has(marker) && other.words.some((there) => there.stem === stem && there.marker === '')) ||
        (words[at - 1]?.text === 'by' && isOwned(stem, other))),
  );
}

function isOwned(stem: string, { words }: Prompt): boolean {
  return words.some(
    (word, at) => word.stem === stem && word.marker === '' && owning.has(words[at - 1]?.text ?? ''),
  );
}

const owning = new Set(['my', 'your', 'our', 'his', 'her', 'their']);

function rolesIn({ words }: Prompt): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [at, word] of words.entries()) {
    const isMine = ['me', 'him', 'her', 'them', 'us'].includes(word.text);
    const marker = isMine ? (words[at - 1]?.text ?? '') : word.isContent ? word.marker : '';
    const role = directed.get(marker);
    if (role === undefined) continue;
    found.set(word.stem, (found.get(word.stem) ?? new Set()).add(role));
  }
  return found;
}
