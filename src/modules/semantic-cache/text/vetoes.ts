import { type Difference, differenceOf } from './difference.ts';
import {
  asksMore,
  asksPieceByPiece,
  differInCompletion,
  differInQuantity,
  differInRanking,
  differInReference,
} from './other-question/question-scope.ts';
import { areDifferentTasks } from './other-question/tasks.ts';
import { differByAffix } from './other-words/affixes.ts';
import {
  areDifferentAdverbs,
  areDifferentDerivations,
  differByAccents,
  differInDegree,
} from './other-words/derivation.ts';
import { areLookalikes } from './other-words/lookalikes.ts';
import { differInNames } from './other-words/names.ts';
import { isNarrower } from './other-words/narrowing.ts';
import { areOpposite } from './other-words/opposites.ts';
import { areUnitsCompatible, isPercentageOnlyHere, sameUnits } from './other-words/units.ts';
import { differInValues } from './other-words/values.ts';
import type { ParsedPrompt } from './reading/prompt.ts';
import { areDifferentQuestions, differInObligation, modalStems } from './reading/question-form.ts';
import { stemOf } from './reading/stems.ts';
import { type Word, wordsIn } from './reading/words.ts';
import { alignWords } from './small-changes/alignment.ts';
import { differInProperName } from './small-changes/capitals.ts';
import { differInInflection } from './small-changes/inflection.ts';
import { changesSmallWord, isSmallWord } from './small-changes/small-words.ts';
import { differInActor } from './who-does-what/actors.ts';
import { differInAddressee } from './who-does-what/addressees.ts';
import { conversionDirectionOf } from './who-does-what/direction.ts';
import { isReordered } from './who-does-what/order.ts';
import { differInOwner, differInPersons } from './who-does-what/persons.ts';
import { differInRoles, haveSwappedPlaces, isInstrumentOnlyHere } from './who-does-what/roles.ts';

/*
 * How a pair of prompts is compared, and where to look:
 *
 *   reading/         what is read out of one prompt: words and stems, numbers, marks, negation, what it asks, in `prompt.ts`
 *   difference.ts    which words each of two has and the other lacks; nearly all rules begin with that
 *   other-words/     another word: its opposite, prefix or ending, a lookalike, a name, a unit, another value of one kind
 *   other-question/  the same words, and something else is asked for or to be done
 *   who-does-what/   the same words in other places: order, roles, persons, who acts, who is meant
 *   small-changes/   no other word that says something: small words, endings and capitals, laid side by side
 *   doubt.ts         what is no veto, and makes the judge's word count for less
 *
 * The rules of all these folders are called here, by the names that the first one found goes by. A new one goes into the folder of
 * what it looks at, gets a line here, and pairs of its own in `vetoes.test.ts`: some that it stops, some like them that are one.
 */

type Rule = (old: ParsedPrompt, now: ParsedPrompt, difference: Difference) => boolean;

/** Why the answer to one prompt can't be the answer to another, whatever a model thinks of them. */
const vetoRules: Readonly<Record<string, Rule>> = {
  number: (old, now) =>
    listed(old.numbers.map(formatBoundedNumber)) !== listed(now.numbers.map(formatBoundedNumber)),
  'order of numbers': (old, now) => {
    const [one, other] = [old, now].map(({ numbers }) => numbers.map(({ value }) => value).join(' '));
    return one !== other && !sameUnits(old, now);
  },
  unit: (old, now) =>
    !areUnitsCompatible(old, now) || isPercentageOnlyHere(old, now) || isPercentageOnlyHere(now, old),
  sign: (old, now) => old.signs !== now.signs || old.marks !== now.marks,
  code: (old, now) => hasUnmatchedCode(old.code, now) || hasUnmatchedCode(now.code, old),
  identifier: (old, now, { onlyOld, onlyNew }) =>
    lacksIdentifier(old.identifiers, now) ||
    lacksIdentifier(now.identifiers, old) ||
    [...onlyOld, ...onlyNew].some(({ text }) => /^\p{L}$/u.test(text)),
  quote: (old, now) => hasUnmatchedQuote(old, now) || hasUnmatchedQuote(now, old),
  material: (old, now) =>
    old.tail !== undefined &&
    now.tail !== undefined &&
    old.tail !== now.tail &&
    areSimilarTexts(old.tail, now.tail),
  negation: (old, now) => old.negations !== now.negations,
  'what is negated': (old, now) => isNegatedOnlyHere(old, now) && isNegatedOnlyHere(now, old),
  opposite: (_old, _now, { restOld, restNew }) => anyPair(restOld, restNew, areOpposite),
  affix: (_old, _now, { onlyOld, onlyNew }) =>
    anyPair(
      onlyOld,
      onlyNew,
      (one, other) => differByAffix(one.text, other.text) || differByAffix(one.stem, other.stem),
    ),
  lookalike: (_old, _now, { onlyOld, onlyNew }) =>
    anyPair(
      onlyOld,
      onlyNew,
      (one, other) => areLookalikes(one.stem, other.stem) || areLookalikes(one.text, other.text),
    ),
  derivation: (_old, _now, { onlyOld, onlyNew }) =>
    Math.max(onlyOld.length, onlyNew.length) <= 2 &&
    anyPair(onlyOld, onlyNew, (one, other) => areDifferentDerivations(one.text, other.text)),
  accent: (_old, _now, { onlyOld, onlyNew }) =>
    anyPair(onlyOld, onlyNew, (one, other) => differByAccents(one.text, other.text)),
  step: (old, _now, { onlyOld: [one, ...more], onlyNew: [other, ...others] }) =>
    one !== undefined &&
    other !== undefined &&
    more.length + others.length === 0 &&
    (areDifferentAdverbs(one, other) ||
      (differInDegree(one.text, other.text) && !hasWord(old, 'way') && !hasWord(old, 'ways'))),
  value: differInValues,
  name: (old, now, difference) => differInNames(old, now, difference),
  question: (old, now, { onlyOld, onlyNew }) =>
    areDifferentQuestions(old.form, now.form, onlyOld.length + onlyNew.length === 0 ? 'same' : 'others') ||
    ([...onlyOld, ...onlyNew].every(({ stem }) => modalStems.has(stem)) &&
      differInObligation(old.form, now.form)),
  pointing: differInReference,
  'more asked': asksMore,
  rank: differInRanking,
  share: differInQuantity,
  time: differInCompletion,
  task: (old, now) => areDifferentTasks(old.words, now.words),
  choice: (old, now, { onlyOld, onlyNew }) =>
    onlyOld.length + onlyNew.length === 0 &&
    hasWord(old, 'or') !== hasWord(now, 'or') &&
    hasWord(old, 'and') !== hasWord(now, 'and'),
  limit: (old, now, { restOld, restNew }) =>
    isNarrower(restOld, now) ||
    isNarrower(restNew, old) ||
    asksPieceByPiece(old, now) ||
    asksPieceByPiece(now, old),
  direction: (old, now) => {
    const [one, other] = [conversionDirectionOf(old), conversionDirectionOf(now)];
    return one !== undefined && other !== undefined && one !== other;
  },
  role: (old, now, { onlyOld, onlyNew }) =>
    differInRoles(old, now) ||
    (onlyOld.length + onlyNew.length <= 1 && haveSwappedPlaces(old, now)) ||
    (onlyOld.length + onlyNew.length === 0 &&
      (isInstrumentOnlyHere(old, now) || isInstrumentOnlyHere(now, old))),
  actor: differInActor,
  person: (old, now, { shared }) =>
    differInPersons(old, now, shared) || differInOwner(old, now) || differInAddressee(old, now),
  repetition: repeatsOther,
  order: (old, now, { onlyOld, onlyNew }) => {
    const known = [old, now].filter(
      (parsedPrompt) => conversionDirectionOf(parsedPrompt) !== undefined,
    ).length;
    const isSame = onlyOld.length + onlyNew.length === 0;
    return (known === 0 || (known === 1 && isSame)) && isReordered(old, now);
  },
  'small change': (old, now, { onlyOld, onlyNew }) => {
    if (![...onlyOld, ...onlyNew].every(isSmallWord)) return false;
    const { common, changes } = alignWords(old.words, now.words);
    return common.some((word) => differInInflection(word, old.form.asks)) || changes.some(changesSmallWord);
  },
};

/** The name of the first reason, or undefined where there is none. */
export function findVeto(
  old: ParsedPrompt,
  now: ParsedPrompt,
  difference: Difference = differenceOf(old, now),
): string | undefined {
  if (
    old.plain === now.plain &&
    old.signs === now.signs &&
    old.marks === now.marks &&
    listed(old.code) === listed(now.code)
  )
    return differInProperName(old, now) ? 'capital' : undefined;
  for (const [name, holds] of Object.entries(vetoRules)) if (holds(old, now, difference)) return name;
  return undefined;
}

/** Asks all rules, one at a time. */
export function* evaluateRules(old: ParsedPrompt, now: ParsedPrompt): Generator<boolean> {
  const difference = differenceOf(old, now);
  for (const holds of Object.values(vetoRules)) yield holds(old, now, difference);
}

function listed(items: readonly string[]): string {
  return [...items].sort().join('\n');
}

function formatBoundedNumber({ value, bound }: { value: string; bound: string }): string {
  return `${bound}${value}`;
}

/** Whether all that it denies is in the other as well, but not denied there. */
function isNegatedOnlyHere({ negated }: ParsedPrompt, other: ParsedPrompt): boolean {
  return (
    negated.size > 0 && [...negated].every((stem) => other.vocabulary.has(stem) && !other.negated.has(stem))
  );
}

function lacksIdentifier(identifiers: readonly string[], { vocabulary }: ParsedPrompt): boolean {
  return identifiers.some(
    (name) => ![name, stemOf(name), name.replaceAll('.', '')].some((form) => vocabulary.has(form)),
  );
}

/** Whether something is quoted that the other neither quotes nor says. */
function hasUnmatchedQuote({ quoted }: ParsedPrompt, { quoted: there, vocabulary }: ParsedPrompt): boolean {
  return quoted.some(
    (text) => !there.includes(text) && wordsIn(text).some(({ stem }) => !vocabulary.has(stem)),
  );
}

/** Whether there is code that the other hasn't; a short piece may stand there without its marks. */
function hasUnmatchedCode(code: readonly string[], { code: there, plain }: ParsedPrompt): boolean {
  return code.some(
    (piece) =>
      !there.includes(piece) && (piece.includes('\n') || !` ${plain} `.includes(` ${plainWordsOf(piece)} `)),
  );
}

function plainWordsOf(text: string): string {
  return wordsIn(text)
    .map((word) => word.text)
    .join(' ');
}

/** Texts of which more than half is the same are two versions of one. */
function areSimilarTexts(one: string, other: string): boolean {
  const [words, others] = [one.split(' '), new Set(other.split(' '))];
  return words.filter((word) => others.has(word)).length > words.length / 2;
}

function anyPair(
  some: readonly Word[],
  others: readonly Word[],
  holds: (one: Word, other: Word) => boolean,
): boolean {
  return some.some((one) => others.some((other) => holds(one, other)));
}

/** Whether both name the same, and another of these more than once: "Tom and Ann met. Where is Tom?" */
function repeatsOther(old: ParsedPrompt, now: ParsedPrompt, { onlyOld, onlyNew }: Difference): boolean {
  if (onlyOld.length + onlyNew.length > 0) return false;
  const count = ({ content }: ParsedPrompt, stem: string) =>
    content.filter((word) => word.stem === stem).length;
  const more = (one: ParsedPrompt, other: ParsedPrompt) =>
    one.content.some(({ stem }) => count(one, stem) > count(other, stem) && count(other, stem) > 0);
  return more(old, now) && more(now, old);
}

function hasWord({ words }: ParsedPrompt, text: string): boolean {
  return words.some((word) => word.text === text);
}
