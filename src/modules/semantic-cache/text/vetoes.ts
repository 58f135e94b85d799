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
import { differInCase, differInProperName } from './small-changes/capitals.ts';
import { differInInflection } from './small-changes/inflection.ts';
import { changesSmallWord, isSmallWord } from './small-changes/small-words.ts';
import { differInActor } from './who-does-what/actors.ts';
import { differInAddressee } from './who-does-what/addressees.ts';
import { conversionDirectionOf } from './who-does-what/direction.ts';
import { isReordered } from './who-does-what/order.ts';
import { isPermuted } from './who-does-what/permutation.ts';
import { differInOwner, differInPersons } from './who-does-what/persons.ts';
import { differInRoles, haveSwappedPlaces, isInstrumentOnlyHere } from './who-does-what/roles.ts';

/*
 * How a pair of prompts is compared, and where to look:
 *
 *   reading/         parses one prompt: words and stems, numbers, marks, negation, question form; entry point `prompt.ts`
 *   difference.ts    the words that only one of two prompts has; nearly all rules start from it
 *   other-words/     a different word: opposite, prefix or ending, lookalike, name, unit, another value of a kind
 *   other-question/  the same words, but a different question or task
 *   who-does-what/   the same words in different roles: order, roles, persons, actor, addressee
 *   small-changes/   the same content words: aligns small words, endings and capitals
 *   doubt.ts         differences that are no veto but change the judge's score
 *
 * This file calls the rules of all folders; the first match gives the veto its name. A new rule goes into the folder of its subject,
 * gets a line here, and pairs in `vetoes.test.ts`: some that it stops, and similar ones that it must not stop.
 */

type Rule = (old: ParsedPrompt, now: ParsedPrompt, difference: Difference) => boolean;

/** Reasons why the answer to one prompt can't serve another, regardless of the judge's score. */
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
  capital: differInCase,
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
    // A conversion has one direction in any order; what stands beside "and" or "or" is none.
    const isConversion = known === 2 && !hasWord(old, 'and') && !hasWord(old, 'or');
    return isPermuted(old, now) || ((known === 0 || (isSame && !isConversion)) && isReordered(old, now));
  },
  'small change': (old, now, { onlyOld, onlyNew }) => {
    if (![...onlyOld, ...onlyNew].every(isSmallWord)) return false;
    const { common, changes } = alignWords(old.words, now.words);
    return common.some((word) => differInInflection(word, old.form.asks)) || changes.some(changesSmallWord);
  },
};

/** The name of the first matching rule; undefined if none matches. */
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
    return differInProperName(old, now) || differInCase(old, now) ? 'capital' : undefined;
  for (const [name, holds] of Object.entries(vetoRules)) if (holds(old, now, difference)) return name;
  return undefined;
}

/** Evaluates all rules, one per step. */
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

/** Whether the other prompt has all words that this one negates, but doesn't negate them. */
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

/** Whether it quotes something that the other neither quotes nor contains. */
function hasUnmatchedQuote({ quoted }: ParsedPrompt, { quoted: there, vocabulary }: ParsedPrompt): boolean {
  return quoted.some(
    (text) => !there.includes(text) && wordsIn(text).some(({ stem }) => !vocabulary.has(stem)),
  );
}

/** Whether it has code that the other lacks; a short piece may appear there without backticks. */
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

/** Texts that share more than half are versions of one text. */
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

/** Whether both have the same content words, but each repeats another one: "Tom and Ann met. Where is Tom?" and "… Where is Ann?" */
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
