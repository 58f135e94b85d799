import { isNamedElsewhere } from './capitals.ts';
import { aligned } from './changes.ts';
import { areOtherAdverbs, areOtherDerivations, differByAccents, isOtherStep } from './derivation.ts';
import { type Difference, differenceOf } from './difference.ts';
import { directionOf } from './direction.ts';
import { isOtherForm } from './inflection.ts';
import { areLookalikes } from './lookalikes.ts';
import { otherName } from './names.ts';
import { isNarrower } from './narrowing.ts';
import { opposites } from './opposites.ts';
import { isReordered } from './order.ts';
import { otherOwner, otherPersons } from './persons.ts';
import { differByAffix } from './prefixes.ts';
import type { Prompt, ValueInText } from './prompt.ts';
import { askDifferently, modalStems, mustElsewhere } from './question-form.ts';
import { otherRole, placedOtherwise, usesOther } from './roles.ts';
import {
  asksMore,
  countsOtherwise,
  goesOneByOne,
  isOverElsewhere,
  pointsElsewhere,
  ranksOtherwise,
} from './scope-of-question.ts';
import { isOtherSmallWord, isSmall } from './small-words.ts';
import { stemOf } from './stems.ts';
import { isOtherTask } from './tasks.ts';
import { isShareAlone, sameUnits, unitsFit } from './units.ts';
import { otherActor } from './who-acts.ts';
import { type Word, wordsIn } from './words.ts';

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
  value: (old, now) => otherValue(old, now),
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
  person: (old, now, { shared }) => otherPersons(old, now, shared) || otherOwner(old, now),
  repetition: repeatsOther,
  order: (old, now) =>
    directionOf(old) === undefined && directionOf(now) === undefined && isReordered(old, now),
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

function areOpposite(one: Word, other: Word): boolean {
  return bases(one).some((base) => bases(other).some((turn) => opposites.get(base)?.has(turn) === true));
}

/** Darken, darker and darkest are as much the opposite of light as dark is. */
function bases({ text, stem }: Word): readonly string[] {
  const found = [stem, text];
  for (const [, base] of [
    /^(.{3,})en$/.exec(stem),
    /^(.{3,})er$/.exec(text),
    /^(.{3,})est$/.exec(text),
  ].filter((match) => match !== null))
    if (base !== undefined)
      found.push(base, `${base}e`, base.replace(/i$/, 'y'), base.replace(/(.)\1$/, '$1'));
  return found;
}

function otherValue(old: Prompt, now: Prompt): boolean {
  const kinds = new Set([...old.values, ...now.values].map(({ kind }) => kind));
  for (const kind of kinds) {
    const ofKind = ({ values: all }: Prompt) => all.filter((one) => one.kind === kind);
    const [one, other] = [ofKind(old), ofKind(now)];
    const gone = one.filter(({ value }) => !other.some((there) => there.value === value));
    const come = other.filter(({ value }) => !one.some((there) => there.value === value));
    if (gone.length > 0 && come.length > 0) return true;
    if (one.length > 0 && other.length > 0) continue;
    if (gone.some((value) => isAsked(value, old)) || come.some((value) => isAsked(value, now))) return true;
  }
  return false;
}

/** Whether naming such a value is another request than naming none; a shape is asked for as one: "as a table". */
function isAsked({ counts, kind, at }: ValueInText, { words, numbers }: Prompt): boolean {
  if (kind === 'currency') return counts && numbers.length === 0;
  if (kind !== 'shape of an answer') return counts;
  return (
    ['as', 'in', 'into'].includes(words[at]?.marker ?? '') &&
    !['this', 'the', 'that', 'following', 'my'].includes(words[at - 1]?.text ?? '')
  );
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
