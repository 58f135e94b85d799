import type { ParsedPrompt } from '../reading/prompt.ts';
import type { Word } from '../reading/words.ts';

const personByPronoun: ReadonlyMap<string, string> = new Map(
  [
    ['first', 'i me my mine myself we us our ours'],
    ['second', 'you your yours yourself'],
    ['he', 'he him his himself'],
    ['she', 'she her hers herself'],
    ['they', 'they them their theirs'],
  ].flatMap(([person = '', forms = '']) => forms.split(' ').map((form) => [form, person] as const)),
);
const possessives = new Set(['my', 'our', 'your', 'his', 'her', 'their']);
const objectPronouns = new Set(['me', 'us', 'him', 'her', 'them']);

type PronounRole = 'subject' | 'object' | 'owner';

/** The minimum share of common words for a comparison of pronouns. */
const sharedLeast = 0.6;

/**
 * Whether pronouns of the same persons have different positions among the same words: "tell my boss why I was late" and "tell me
 * why my boss was late".
 */
export function differInPersons(old: ParsedPrompt, now: ParsedPrompt, shared: number): boolean {
  if (shared < sharedLeast || !sameOrder(old, now)) return false;
  const [one, other] = [pronounUsesIn(old, now), pronounUsesIn(now, old)];
  if (one.length < 2) return false;
  if (listed(one.map(({ person }) => person)) !== listed(other.map(({ person }) => person))) return false;
  if (ownersIn(one) !== ownersIn(other)) return false;
  // "Help me" and "I want" are equivalent if no other person occurs.
  const isAlone = new Set(one.map(({ person }) => person)).size === 1;
  return lacksPronounUse(one, other, isAlone) && lacksPronounUse(other, one, isAlone);
}

interface PronounUse {
  readonly person: string;
  readonly role: PronounRole;
  /** The next content word that the other prompt has, too; or empty. */
  readonly nextShared: string;
}

function pronounUsesIn({ words, isForMe }: ParsedPrompt, other: ParsedPrompt): PronounUse[] {
  const describeUse = (person: string, text: string, behind: readonly Word[]): PronounUse => ({
    person,
    role: pronounRoleOf(text, behind[0]),
    nextShared: behind.find(({ isContent, stem }) => isContent && other.vocabulary.has(stem))?.stem ?? '',
  });
  const found = words.flatMap(({ text }, at) => {
    const person = personByPronoun.get(text);
    if (person === undefined) return [];
    const pronounUse = describeUse(person, text, words.slice(at + 1));
    // A final pronoun counts only as an object, not as the subject of a question at the end.
    return pronounUse.nextShared !== '' || isObjectPronoun(text, words[at - 1]?.text) ? [pronounUse] : [];
  });
  return isForMe ? [describeUse('first', 'me', words), ...found] : found;
}

function ownersIn(uses: readonly PronounUse[]): number {
  return uses.filter(({ role }) => role === 'owner').length;
}

function pronounRoleOf(text: string, next: Word | undefined): PronounRole {
  if (possessives.has(text) && (text !== 'her' || next?.isContent === true)) return 'owner';
  return objectPronouns.has(text) ? 'object' : 'subject';
}

function isObjectPronoun(text: string, before: string | undefined): boolean {
  return (objectPronouns.has(text) || text === 'you') && before !== 'for' && before !== 'do';
}

function lacksPronounUse(
  uses: readonly PronounUse[],
  others: readonly PronounUse[],
  isAlone: boolean,
): boolean {
  return uses.some(
    ({ person, role, nextShared }) =>
      !others.some(
        (there) =>
          there.person === person &&
          there.nextShared === nextShared &&
          (there.role === role || (isAlone && role !== 'owner' && there.role !== 'owner')),
      ),
  );
}

/** Whether the common words have the same order; other rules handle different orders. */
function sameOrder(old: ParsedPrompt, now: ParsedPrompt): boolean {
  const common = ({ content }: ParsedPrompt, { vocabulary }: ParsedPrompt) =>
    content.filter(({ stem }) => vocabulary.has(stem)).map(({ stem }) => stem);
  return common(old, now).join(' ') === common(now, old).join(' ');
}

function listed(items: readonly string[]): string {
  return [...items].sort().join(' ');
}

/** Whether the same thing has different owners: "her cat" and "my neighbour's cat". */
export function differInOwner(old: ParsedPrompt, now: ParsedPrompt): boolean {
  return ownsOnlyHere(old, now) || ownsOnlyHere(now, old);
}

function ownsOnlyHere({ words }: ParsedPrompt, { words: there }: ParsedPrompt): boolean {
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
