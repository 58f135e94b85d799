import type { Difference } from '../difference.ts';
import { isParticiple } from '../reading/passive.ts';
import type { ParsedPrompt } from '../reading/prompt.ts';
import { wordSet } from '../reading/word-set.ts';
import type { Word } from '../reading/words.ts';

/** The minimum share of common words for a comparison of actors. */
const sharedLeast = 0.5;

type ActorCheck = (one: ParsedPrompt, other: ParsedPrompt) => boolean;

/** Asymmetric checks, applied in both directions. */
const actorChecks: readonly ActorCheck[] = [
  fillsStrandedPreposition,
  asksForAgent,
  isPassiveOnlyHere,
  isDoneToSpeaker,
  asksForOwner,
];

/** Whether function words alone change the actor: "who follows me" and "who do I follow". */
export function differInActor(
  old: ParsedPrompt,
  now: ParsedPrompt,
  { shared, onlyOld, onlyNew }: Difference,
): boolean {
  if (shared < sharedLeast) return false;
  if (onlyOld.length + onlyNew.length === 0 && haveSwappedSubjects(old, now)) return true;
  return actorChecks.some((differ) => differ(old, now) || differ(now, old));
}

const questionWords = new Set(['who', 'whom', 'what', 'which']);
const strandedPrepositions = wordSet('of to from on by for with in at about into after against');

/** "What is X a part of" asks for the object of "of", which in "the parts of X" is X. */
function fillsStrandedPreposition({ words }: ParsedPrompt, other: ParsedPrompt): boolean {
  const gap = words.at(-1)?.text ?? '';
  if (!strandedPrepositions.has(gap) || other.words.at(-1)?.text === gap) return false;
  if (!words.some(({ text }) => questionWords.has(text))) return false;
  const named = words.filter((word) => word.isContent && word.marker !== gap);
  return other.words.some(
    (word) => word.isContent && word.marker === gap && named.some(({ stem }) => stem === word.stem),
  );
}

const doAuxiliaries = new Set(['do', 'does', 'did']);
const auxiliaries = wordSet(
  'do does did is are was were am be been has have had can could will would should may might must shall',
);
const opinions = new Set(['think', 'believ', 'feel', 'say', 'consider', 'recommend', 'suggest']);

/** "Which company owns X" asks for the owner, "which companies does X own" for what is owned. */
function asksForAgent({ words }: ParsedPrompt, other: ParsedPrompt): boolean {
  const helped = other.words.findIndex(({ text }) => doAuxiliaries.has(text));
  const asked = other.words.slice(Math.max(0, helped - 4), Math.max(0, helped));
  if (helped < 0 || !asked.some(({ text }) => questionWords.has(text))) return false;
  const [, ...behind] = other.words.slice(helped + 1);
  if (behind.some(({ stem }) => opinions.has(stem))) return false;
  const at = words.findIndex(({ text }) => questionWords.has(text));
  const verb = words.slice(at + 1).find(({ stem }) => !asked.some((word) => word.stem === stem));
  if (at < 0) return false;
  return (
    (verb?.isContent === true && behind.some(({ stem }) => stem === verb.stem)) ||
    (!words.some(({ text }) => doAuxiliaries.has(text)) &&
      behind.some((deed) => words.some(({ text }) => isAgentNounOf(text, deed.stem))))
  );
}

/** Whether a noun names the agent of a verb: owner, employer, inventor. */
function isAgentNounOf(noun: string, deed: string): boolean {
  if (deed === 'own' && noun === 'parent') return true;
  return deed.length > 2 && [`${deed}er`, `${deed}or`].includes(noun);
}

const personByPronoun: ReadonlyMap<string, string> = new Map([
  ...['i', 'we', 'you', 'one'].map((text) => [text, 'one'] as const),
  ...['he', 'she', 'they', 'it'].map((text) => [text, text] as const),
]);
const passiveAuxiliaries = wordSet('is are was were am be been being get gets got getting');
const interveningWords = new Set([
  ...passiveAuxiliaries,
  ...auxiliaries,
  ...wordSet('not to ever also still already just really need want like going actually always never'),
]);
/** Verbs whose passive equals the active: getting started is starting. */
const reflexiveVerbs = wordSet(
  'start marry dress prepar organiz register certify verify enroll involv adjust settl use suppos interest tir excit focus train',
);

/** "Do I get paid" and "do I have to pay": passive here, active in the other. */
function isPassiveOnlyHere(one: ParsedPrompt, other: ParsedPrompt): boolean {
  const there = predicatesIn(other);
  return predicatesIn(one).some(
    ({ who, stem, isPassive }) =>
      isPassive &&
      there.some((predicate) => predicate.who === who && predicate.stem === stem) &&
      !there.some((predicate) => predicate.who === who && predicate.stem === stem && predicate.isPassive),
  );
}

interface Predicate {
  readonly who: string;
  readonly stem: string;
  readonly isPassive: boolean;
}

function predicatesIn({ words }: ParsedPrompt): Predicate[] {
  return words.flatMap((word, at) => {
    const back = words.slice(0, at).findLastIndex(({ text }) => !interveningWords.has(text));
    const who = personByPronoun.get(words[back]?.text ?? '');
    if (!word.isContent || who === undefined || reflexiveVerbs.has(word.stem)) return [];
    const group = [...words.slice(Math.max(0, back - 1), back), ...words.slice(back + 1, at)];
    const isPassive = isParticiple(word, 'yes') && group.some(({ text }) => passiveAuxiliaries.has(text));
    return [{ who, stem: word.stem, isPassive }];
  });
}

const addressedPronouns = new Set(['me', 'us', 'you', 'myself', 'yourself']);
/** After these verbs, a pronoun names who wants the answer, not the object of an action. */
const answerVerbs = wordSet(
  'tell give show help let send remind teach find get write ask explain provide suggest bring buy draw walk guide advise allow enable make recommend offer assist call keep warn notify alert want need',
);

/** "How do I get him to forgive me" and "how do I forgive him". */
function isDoneToSpeaker({ words }: ParsedPrompt, other: ParsedPrompt): boolean {
  return words.some(isVerbObject) && !other.words.some(({ text }) => addressedPronouns.has(text));
}

function isVerbObject({ raw }: Word, at: number, words: readonly Word[]): boolean {
  const before = words[at - 1];
  if (before === undefined || !['me', 'us'].includes(raw)) return false;
  return ['from', 'by'].includes(before.text) || (before.isContent && !answerVerbs.has(before.text));
}

/** "Whose child was he" asks for parents, "who are his children" doesn't. */
function asksForOwner({ words: [first, owned, be] }: ParsedPrompt, { words: others }: ParsedPrompt): boolean {
  if (first?.text !== 'whose' || owned?.isContent !== true || be?.stem !== 'be') return false;
  return (
    others[0]?.text !== 'whose' && others.some(({ stem, isContent }) => isContent && stem === owned.stem)
  );
}

/** "Can I use my wife's card" and "can my wife use my card": the subject follows the first auxiliary verb. */
function haveSwappedSubjects(old: ParsedPrompt, now: ParsedPrompt): boolean {
  const [one, other] = [subjectOf(old), subjectOf(now)];
  if (one === undefined || other === undefined || one === other) return false;
  const isNamed = (who: string, { words }: ParsedPrompt) =>
    who !== 'one' && words.some(({ stem, text }) => stem === who || text === who);
  const isMeant = (one === 'one' && isNamed(other, old)) || (other === 'one' && isNamed(one, now));
  return isMeant && !isPassive(old) && !isPassive(now);
}

const others = new Set(['someone', 'somebody', 'anyone', 'anybody', 'people', 'everyone', 'everybody']);
const determiners = new Set(['my', 'your', 'his', 'her', 'their', 'our', 'the', 'a', 'an', 'this', 'that']);

/** "One" for the speaker, else the first word that names the subject. */
function subjectOf({ words }: ParsedPrompt): string | undefined {
  const at = words.findIndex(({ text }) => auxiliaries.has(text) && !passiveAuxiliaries.has(text));
  if (at < 0 || at > 3 || words.slice(0, at).some((word) => personByPronoun.has(word.text))) return undefined;
  const [first, second] = words.slice(at + 1);
  if (first === undefined) return undefined;
  if (first.text === 'i' || first.text === 'we') return 'one';
  if (others.has(first.text)) return first.text;
  if (determiners.has(first.text))
    return second?.isContent === true && second.marker === '' ? second.stem : undefined;
  return first.isName ? first.stem : undefined;
}

function isPassive({ words }: ParsedPrompt): boolean {
  return words.some(
    (word, at) =>
      isParticiple(word, 'yes') &&
      words.slice(Math.max(0, at - 3), at).some(({ text }) => passiveAuxiliaries.has(text)),
  );
}
