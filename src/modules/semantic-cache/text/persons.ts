import type { Prompt } from './prompt.ts';
import type { Word } from './words.ts';

const persons: ReadonlyMap<string, string> = new Map(
  [
    ['first', 'i me my mine myself we us our ours'],
    ['second', 'you your yours yourself'],
    ['he', 'he him his himself'],
    ['she', 'she her hers herself'],
    ['they', 'they them their theirs'],
  ].flatMap(([person = '', forms = '']) => forms.split(' ').map((form) => [form, person] as const)),
);
const owning = new Set(['my', 'our', 'your', 'his', 'her', 'their']);

/** How much two prompts must share before it matters whom their small words mean. */
const sharedLeast = 0.6;

/**
 * Whether the same persons are spoken of in other places, between the same words: "tell my boss why I was late" and "tell me why
 * my boss was late".
 */
export function otherPersons(old: Prompt, now: Prompt, shared: number): boolean {
  if (shared < sharedLeast || !sameOrder(old, now)) return false;
  const [one, other] = [placesOf(old, now), placesOf(now, old)];
  if (one.length < 2) return false;
  for (const part of ['person', 'owns'] as const)
    if (listed(one.map((place) => String(place[part]))) !== listed(other.map((place) => String(place[part]))))
      return false;
  return lacks(one, other) && lacks(other, one);
}

interface Place {
  readonly person: string;
  readonly owns: boolean;
  /** The next word that both prompts say, if there is one. */
  readonly before: string;
}

function placesOf({ words, isForMe }: Prompt, other: Prompt): Place[] {
  const placeOf = (person: string, text: string, behind: readonly Word[]): Place => ({
    person,
    owns: owning.has(text) && (text !== 'her' || behind[0]?.isContent === true),
    before: behind.find(({ isContent, stem }) => isContent && other.vocabulary.has(stem))?.stem ?? '',
  });
  const found = words.flatMap(({ text }, at) => {
    const person = persons.get(text);
    if (person === undefined) return [];
    const place = placeOf(person, text, words.slice(at + 1));
    // What stands last says of whom it is, but not where a question is merely put at the end.
    return place.before !== '' || isMet(text, words[at - 1]?.text) ? [place] : [];
  });
  return isForMe ? [placeOf('first', 'me', words), ...found] : found;
}

const objects = new Set(['me', 'us', 'him', 'her', 'them', 'you']);

function isMet(text: string, before: string | undefined): boolean {
  return objects.has(text) && before !== 'for' && before !== 'do';
}

function lacks(places: readonly Place[], others: readonly Place[]): boolean {
  return places.some(
    ({ person, owns, before }) =>
      !others.some((there) => there.person === person && there.owns === owns && there.before === before),
  );
}

/** Whether what both say comes in the same order; where it doesn't, there are other rules. */
function sameOrder(old: Prompt, now: Prompt): boolean {
  const common = ({ content }: Prompt, { vocabulary }: Prompt) =>
    content.filter(({ stem }) => vocabulary.has(stem)).map(({ stem }) => stem);
  return common(old, now).join(' ') === common(now, old).join(' ');
}

function listed(items: readonly string[]): string {
  return [...items].sort().join(' ');
}
