import type { Prompt } from './prompt.ts';

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

const means = new Set(['with', 'without', 'against', 'using']);

/** "Top up with my card" and "top up my card": what is a means in the one is the object of the other. */
export function usesOther({ words }: Prompt, other: Prompt): boolean {
  return words.some(
    ({ isContent, marker, stem }) =>
      isContent &&
      means.has(marker) &&
      other.words.some((there) => there.stem === stem && there.marker === ''),
  );
}

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
