import type { Prompt } from '../reading/prompt.ts';
import type { Word } from '../reading/words.ts';

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
const met = new Set(['me', 'us', 'him', 'her', 'them']);

type Part = 'acts' | 'is met' | 'owns';

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
  if (listed(one.map(({ person }) => person)) !== listed(other.map(({ person }) => person))) return false;
  if (ownersIn(one) !== ownersIn(other)) return false;
  // "Help me" and "I want" are the same where there is nobody else.
  const isAlone = new Set(one.map(({ person }) => person)).size === 1;
  return lacks(one, other, isAlone) && lacks(other, one, isAlone);
}

interface Place {
  readonly person: string;
  readonly part: Part;
  /** The next word that both prompts say, if there is one. */
  readonly before: string;
}

function placesOf({ words, isForMe }: Prompt, other: Prompt): Place[] {
  const placeOf = (person: string, text: string, behind: readonly Word[]): Place => ({
    person,
    part: partOf(text, behind[0]),
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

function ownersIn(places: readonly Place[]): number {
  return places.filter(({ part }) => part === 'owns').length;
}

function partOf(text: string, next: Word | undefined): Part {
  if (owning.has(text) && (text !== 'her' || next?.isContent === true)) return 'owns';
  return met.has(text) ? 'is met' : 'acts';
}

function isMet(text: string, before: string | undefined): boolean {
  return (met.has(text) || text === 'you') && before !== 'for' && before !== 'do';
}

function lacks(places: readonly Place[], others: readonly Place[], isAlone: boolean): boolean {
  return places.some(
    ({ person, part, before }) =>
      !others.some(
        (there) =>
          there.person === person &&
          there.before === before &&
          (there.part === part || (isAlone && part !== 'owns' && there.part !== 'owns')),
      ),
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

/** Whether the same thing is somebody else's, and both speak of these: "her cat" and "my neighbour's cat". */
export function otherOwner(old: Prompt, now: Prompt): boolean {
  return ownsAlone(old, now) || ownsAlone(now, old);
}

function ownsAlone({ words }: Prompt, { words: there }: Prompt): boolean {
  return words.some((owner, at) => {
    const thing = words[at + 1];
    if (!owner.raw.endsWith("'s") || thing?.isContent !== true) return false;
    const [isNamed, isOwner] = [
      there.some(({ stem }) => stem === owner.stem),
      there.some(({ stem, marker }) => stem === owner.stem && marker === 'of'),
    ];
    return (
      isNamed &&
      !isOwner &&
      there.some(
        ({ stem }, place) =>
          stem === thing.stem && ['his', 'her', 'their'].includes(there[place - 1]?.text ?? ''),
      )
    );
  });
}
