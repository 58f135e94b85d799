import { type Difference, differenceOf } from './difference.ts';
import {
  asksMore,
  countsOtherwise,
  goesOneByOne,
  isOverElsewhere,
  pointsElsewhere,
  ranksOtherwise,
} from './other-question/scope-of-question.ts';
import { isOtherTask } from './other-question/tasks.ts';
import {
  areOtherAdverbs,
  areOtherDerivations,
  differByAccents,
  isOtherStep,
} from './other-words/derivation.ts';
import { areLookalikes } from './other-words/lookalikes.ts';
import { otherName } from './other-words/names.ts';
import { isNarrower } from './other-words/narrowing.ts';
import { areOpposite } from './other-words/opposites.ts';
import { differByAffix } from './other-words/prefixes.ts';
import { isShareAlone, sameUnits, unitsFit } from './other-words/units.ts';
import { otherValue } from './other-words/values.ts';
import type { Prompt } from './reading/prompt.ts';
import { askDifferently, modalStems, mustElsewhere } from './reading/question-form.ts';
import { stemOf } from './reading/stems.ts';
import { type Word, wordsIn } from './reading/words.ts';
import { isNamedElsewhere } from './small-changes/capitals.ts';
import { aligned } from './small-changes/changes.ts';
import { isOtherForm } from './small-changes/inflection.ts';
import { isOtherSmallWord, isSmall } from './small-changes/small-words.ts';
import { directionOf } from './who-does-what/direction.ts';
import { isReordered } from './who-does-what/order.ts';
import { otherOwner, otherPersons } from './who-does-what/persons.ts';
import { otherRole, placedOtherwise, usesOther } from './who-does-what/roles.ts';
import { otherActor } from './who-does-what/who-acts.ts';
import { meansOther } from './who-does-what/whom.ts';

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

type Rule = (old: Prompt, now: Prompt, difference: Difference) => boolean;

/** Why the answer to one prompt can't be the answer to another, whatever a model thinks of them. */
const rules: Readonly<Record<string, Rule>> = {
  number: (old, now) => listed(old.numbers.map(bounded)) !== listed(now.numbers.map(bounded)),
  'order of numbers': (old, now) => {
    const [one, other] = [old, now].map(({ numbers }) => numbers.map(({ value }) => value).join(' '));
    return one !== other && !sameUnits(old, now);
  },
  unit: (old, now) => !unitsFit(old, now) || isShareAlone(old, now) || isShareAlone(now, old),
  sign: (old, now) => old.signs !== now.signs || old.marks !== now.marks,
  code: (old, now) => isUnsaid(old.code, now) || isUnsaid(now.code, old),
  identifier: (old, now, { onlyOld, onlyNew }) =>
    lacks(old.identifiers, now) ||
    lacks(now.identifiers, old) ||
    [...onlyOld, ...onlyNew].some(({ text }) => /^\p{L}$/u.test(text)),
  quote: (old, now) => unquoted(old, now) || unquoted(now, old),
  material: (old, now) =>
    old.tail !== undefined && now.tail !== undefined && old.tail !== now.tail && alike(old.tail, now.tail),
  negation: (old, now) => old.negations !== now.negations,
  'what is negated': (old, now) => negatesOther(old, now) && negatesOther(now, old),
  opposite: (_old, _now, { restOld, restNew }) => any(restOld, restNew, areOpposite),
  affix: (_old, _now, { onlyOld, onlyNew }) =>
    any(
      onlyOld,
      onlyNew,
      (one, other) => differByAffix(one.text, other.text) || differByAffix(one.stem, other.stem),
    ),
  lookalike: (_old, _now, { onlyOld, onlyNew }) =>
    any(
      onlyOld,
      onlyNew,
      (one, other) => areLookalikes(one.stem, other.stem) || areLookalikes(one.text, other.text),
    ),
  derivation: (_old, _now, { onlyOld, onlyNew }) =>
    Math.max(onlyOld.length, onlyNew.length) <= 2 &&
    any(onlyOld, onlyNew, (one, other) => areOtherDerivations(one.text, other.text)),
  accent: (_old, _now, { onlyOld, onlyNew }) =>
    any(onlyOld, onlyNew, (one, other) => differByAccents(one.text, other.text)),
  step: (old, _now, { onlyOld: [one, ...more], onlyNew: [other, ...others] }) =>
    one !== undefined &&
    other !== undefined &&
    more.length + others.length === 0 &&
    (areOtherAdverbs(one, other) ||
      (isOtherStep(one.text, other.text) && !has(old, 'way') && !has(old, 'ways'))),
  value: otherValue,
  name: (old, now, difference) => otherName(old, now, difference),
  question: (old, now, { onlyOld, onlyNew }) =>
    askDifferently(old.form, now.form, onlyOld.length + onlyNew.length === 0 ? 'same' : 'others') ||
    ([...onlyOld, ...onlyNew].every(({ stem }) => modalStems.has(stem)) && mustElsewhere(old.form, now.form)),
  pointing: pointsElsewhere,
  'more asked': asksMore,
  rank: ranksOtherwise,
  share: countsOtherwise,
  time: isOverElsewhere,
  task: (old, now) => isOtherTask(old.words, now.words),
  choice: (old, now, { onlyOld, onlyNew }) =>
    onlyOld.length + onlyNew.length === 0 &&
    has(old, 'or') !== has(now, 'or') &&
    has(old, 'and') !== has(now, 'and'),
  limit: (old, now, { restOld, restNew }) =>
    isNarrower(restOld, now) || isNarrower(restNew, old) || goesOneByOne(old, now) || goesOneByOne(now, old),
  direction: (old, now) => {
    const [one, other] = [directionOf(old), directionOf(now)];
    return one !== undefined && other !== undefined && one !== other;
  },
  role: (old, now, { onlyOld, onlyNew }) =>
    otherRole(old, now) ||
    (onlyOld.length + onlyNew.length <= 1 && placedOtherwise(old, now)) ||
    (onlyOld.length + onlyNew.length === 0 && (usesOther(old, now) || usesOther(now, old))),
  actor: otherActor,
  person: (old, now, { shared }) =>
    otherPersons(old, now, shared) || otherOwner(old, now) || meansOther(old, now),
  repetition: repeatsOther,
  order: (old, now, { onlyOld, onlyNew }) => {
    const known = [old, now].filter((prompt) => directionOf(prompt) !== undefined).length;
    const isSame = onlyOld.length + onlyNew.length === 0;
    return (known === 0 || (known === 1 && isSame)) && isReordered(old, now);
  },
  'small change': (old, now, { onlyOld, onlyNew }) => {
    if (![...onlyOld, ...onlyNew].every(isSmall)) return false;
    const { kept, changes } = aligned(old.words, now.words);
    return kept.some((word) => isOtherForm(word, old.form.asks)) || changes.some(isOtherSmallWord);
  },
};

/** The name of the first reason, or undefined where there is none. */
export function vetoOf(
  old: Prompt,
  now: Prompt,
  difference: Difference = differenceOf(old, now),
): string | undefined {
  if (
    old.plain === now.plain &&
    old.signs === now.signs &&
    old.marks === now.marks &&
    listed(old.code) === listed(now.code)
  )
    return isNamedElsewhere(old, now) ? 'capital' : undefined;
  for (const [name, holds] of Object.entries(rules)) if (holds(old, now, difference)) return name;
  return undefined;
}

/** Asks all rules, one at a time. */
export function* askRules(old: Prompt, now: Prompt): Generator<boolean> {
  const difference = differenceOf(old, now);
  for (const holds of Object.values(rules)) yield holds(old, now, difference);
}

function listed(items: readonly string[]): string {
  return [...items].sort().join('\n');
}

function bounded({ value, bound }: { value: string; bound: string }): string {
  return `${bound}${value}`;
}

/** Whether all that it denies is in the other as well, but not denied there. */
function negatesOther({ negated }: Prompt, other: Prompt): boolean {
  return (
    negated.size > 0 && [...negated].every((stem) => other.vocabulary.has(stem) && !other.negated.has(stem))
  );
}

function lacks(identifiers: readonly string[], { vocabulary }: Prompt): boolean {
  return identifiers.some(
    (name) => ![name, stemOf(name), name.replaceAll('.', '')].some((form) => vocabulary.has(form)),
  );
}

/** Whether something is quoted that the other neither quotes nor says. */
function unquoted({ quoted }: Prompt, { quoted: there, vocabulary }: Prompt): boolean {
  return quoted.some(
    (text) => !there.includes(text) && wordsIn(text).some(({ stem }) => !vocabulary.has(stem)),
  );
}

/** Whether there is code that the other hasn't; a short piece may stand there without its marks. */
function isUnsaid(code: readonly string[], { code: there, plain }: Prompt): boolean {
  return code.some(
    (piece) =>
      !there.includes(piece) && (piece.includes('\n') || !` ${plain} `.includes(` ${wordsOf(piece)} `)),
  );
}

function wordsOf(text: string): string {
  return wordsIn(text)
    .map((word) => word.text)
    .join(' ');
}

/** Texts of which more than half is the same are two versions of one. */
function alike(one: string, other: string): boolean {
  const [words, others] = [one.split(' '), new Set(other.split(' '))];
  return words.filter((word) => others.has(word)).length > words.length / 2;
}

function any(
  some: readonly Word[],
  others: readonly Word[],
  holds: (one: Word, other: Word) => boolean,
): boolean {
  return some.some((one) => others.some((other) => holds(one, other)));
}

/** Whether both name the same, and another of these more than once: "Tom and Ann met. Where is Tom?" */
function repeatsOther(old: Prompt, now: Prompt, { onlyOld, onlyNew }: Difference): boolean {
  if (onlyOld.length + onlyNew.length > 0) return false;
  const count = ({ content }: Prompt, stem: string) => content.filter((word) => word.stem === stem).length;
  const more = (one: Prompt, other: Prompt) =>
    one.content.some(({ stem }) => count(one, stem) > count(other, stem) && count(other, stem) > 0);
  return more(old, now) && more(now, old);
}

function has({ words }: Prompt, text: string): boolean {
  return words.some((word) => word.text === text);
}
