import type { Difference } from '../difference.ts';
import { isParticiple } from '../reading/passive.ts';
import type { Prompt } from '../reading/prompt.ts';
import { wordSet } from '../reading/word-set.ts';
import type { Word } from '../reading/words.ts';

/** How much two prompts must share before it matters who of those that they name does something. */
const sharedLeast = 0.5;

type Side = (one: Prompt, other: Prompt) => boolean;

/** What one has and the other lacks, or has of somebody else. */
const sides: readonly Side[] = [fillsGap, asksForDoer, isDone, isDoneToMe, asksWhose];

/** Whether the same is said with another one acting, by small words alone: "who follows me" and "who do I follow". */
export function otherActor(old: Prompt, now: Prompt, { shared, onlyOld, onlyNew }: Difference): boolean {
  if (shared < sharedLeast) return false;
  if (onlyOld.length + onlyNew.length === 0 && actsInstead(old, now)) return true;
  return sides.some((differ) => differ(old, now) || differ(now, old));
}

const asking = new Set(['who', 'whom', 'what', 'which']);
const open = wordSet('of to from on by for with in at about into after against');

/** "What is X a part of" asks for what stands behind the "of"; in "the parts of X" that is X. */
function fillsGap({ words }: Prompt, other: Prompt): boolean {
  const gap = words.at(-1)?.text ?? '';
  if (!open.has(gap) || other.words.at(-1)?.text === gap) return false;
  if (!words.some(({ text }) => asking.has(text))) return false;
  const named = words.filter((word) => word.isContent && word.marker !== gap);
  return other.words.some(
    (word) => word.isContent && word.marker === gap && named.some(({ stem }) => stem === word.stem),
  );
}

const helping = new Set(['do', 'does', 'did']);
const auxiliaries = wordSet(
  'do does did is are was were am be been has have had can could will would should may might must shall',
);
const opinions = new Set(['think', 'believ', 'feel', 'say', 'consider', 'recommend', 'suggest']);

/** "Which companies does X own" asks what is owned, "which company owns X" for the owner. */
function asksForDoer({ words }: Prompt, other: Prompt): boolean {
  const helped = other.words.findIndex(({ text }) => helping.has(text));
  const asked = other.words.slice(Math.max(0, helped - 4), Math.max(0, helped));
  if (helped < 0 || !asked.some(({ text }) => asking.has(text))) return false;
  const [, ...behind] = other.words.slice(helped + 1);
  if (behind.some(({ stem }) => opinions.has(stem))) return false;
  const at = words.findIndex(({ text }) => asking.has(text));
  const verb = words.slice(at + 1).find(({ stem }) => !asked.some((word) => word.stem === stem));
  if (at < 0) return false;
  return (
    (verb?.isContent === true && behind.some(({ stem }) => stem === verb.stem)) ||
    (!words.some(({ text }) => helping.has(text)) &&
      behind.some((deed) => words.some(({ text }) => isDoerOf(text, deed.stem))))
  );
}

/** Who does what a verb says is named after it, mostly: owner, employer, inventor. */
function isDoerOf(noun: string, deed: string): boolean {
  if (deed === 'own' && noun === 'parent') return true;
  return deed.length > 2 && [`${deed}er`, `${deed}or`].includes(noun);
}

const persons: ReadonlyMap<string, string> = new Map([
  ...['i', 'we', 'you', 'one'].map((text) => [text, 'one'] as const),
  ...['he', 'she', 'they', 'it'].map((text) => [text, text] as const),
]);
const being = wordSet('is are was were am be been being get gets got getting');
const between = new Set([
  ...being,
  ...auxiliaries,
  ...wordSet('not to ever also still already just really need want like going actually always never'),
]);
/** Being told from doing by nobody else: who gets started starts. */
const ownDoing = wordSet(
  'start marry dress prepar organiz register certify verify enroll involv adjust settl use suppos interest tir excit focus train',
);

/** "Do I get paid" and "do I have to pay": the same one does it, or has it done. */
function isDone(one: Prompt, other: Prompt): boolean {
  const there = deeds(other);
  return deeds(one).some(
    ({ who, stem, isPassive }) =>
      isPassive &&
      there.some((deed) => deed.who === who && deed.stem === stem) &&
      !there.some((deed) => deed.who === who && deed.stem === stem && deed.isPassive),
  );
}

interface Deed {
  readonly who: string;
  readonly stem: string;
  readonly isPassive: boolean;
}

function deeds({ words }: Prompt): Deed[] {
  return words.flatMap((word, at) => {
    const back = words.slice(0, at).findLastIndex(({ text }) => !between.has(text));
    const who = persons.get(words[back]?.text ?? '');
    if (!word.isContent || who === undefined || ownDoing.has(word.stem)) return [];
    const group = [...words.slice(Math.max(0, back - 1), back), ...words.slice(back + 1, at)];
    const isPassive = isParticiple(word, 'yes') && group.some(({ text }) => being.has(text));
    return [{ who, stem: word.stem, isPassive }];
  });
}

const mine = new Set(['me', 'us', 'you', 'myself', 'yourself']);
/** Behind these it is said who wants the answer, and not whom something is done to. */
const answering = wordSet(
  'tell give show help let send remind teach find get write ask explain provide suggest bring buy draw walk guide advise allow enable make recommend offer assist call keep warn notify alert want need',
);

/** "How do I get him to forgive me" and "how do I forgive him". */
function isDoneToMe({ words }: Prompt, other: Prompt): boolean {
  return words.some(isMet) && !other.words.some(({ text }) => mine.has(text));
}

function isMet({ raw }: Word, at: number, words: readonly Word[]): boolean {
  const before = words[at - 1];
  if (before === undefined || !['me', 'us'].includes(raw)) return false;
  return ['from', 'by'].includes(before.text) || (before.isContent && !answering.has(before.text));
}

/** "Whose child was he" asks for parents, "who are his children" doesn't. */
function asksWhose({ words: [first, owned, be] }: Prompt, { words: others }: Prompt): boolean {
  if (first?.text !== 'whose' || owned?.isContent !== true || be?.stem !== 'be') return false;
  return (
    others[0]?.text !== 'whose' && others.some(({ stem, isContent }) => isContent && stem === owned.stem)
  );
}

/** "Can I use my wife's card" and "can my wife use my card": who is asked about comes behind the first auxiliary verb. */
function actsInstead(old: Prompt, now: Prompt): boolean {
  const [one, other] = [subjectOf(old), subjectOf(now)];
  if (one === undefined || other === undefined || one === other) return false;
  const isNamed = (who: string, { words }: Prompt) =>
    who !== 'one' && words.some(({ stem, text }) => stem === who || text === who);
  const isMeant = (one === 'one' && isNamed(other, old)) || (other === 'one' && isNamed(one, now));
  return isMeant && !isPassive(old) && !isPassive(now);
}

const others = new Set(['someone', 'somebody', 'anyone', 'anybody', 'people', 'everyone', 'everybody']);
const determiners = new Set(['my', 'your', 'his', 'her', 'their', 'our', 'the', 'a', 'an', 'this', 'that']);

/** "One" for whoever asks, else the first word that says who. */
function subjectOf({ words }: Prompt): string | undefined {
  const at = words.findIndex(({ text }) => auxiliaries.has(text) && !being.has(text));
  if (at < 0 || at > 3 || words.slice(0, at).some((word) => persons.has(word.text))) return undefined;
  const [first, second] = words.slice(at + 1);
  if (first === undefined) return undefined;
  if (first.text === 'i' || first.text === 'we') return 'one';
  if (others.has(first.text)) return first.text;
  if (determiners.has(first.text))
    return second?.isContent === true && second.marker === '' ? second.stem : undefined;
  return first.isName ? first.stem : undefined;
}

function isPassive({ words }: Prompt): boolean {
  return words.some(
    (word, at) =>
      isParticiple(word, 'yes') && words.slice(Math.max(0, at - 3), at).some(({ text }) => being.has(text)),
  );
}
