import type { Difference } from '../difference.ts';
import type { ParsedPrompt } from '../reading/prompt.ts';
import { wordSet } from '../reading/word-set.ts';
import type { Word } from '../reading/words.ts';
import { collapseDoubles } from './lookalikes.ts';

/** Whether one prompt has a name that the other lacks, beyond a first name, an abbreviation or another form. */
export function differInNames(old: ParsedPrompt, now: ParsedPrompt, difference: Difference): boolean {
  const { onlyOld, onlyNew } = difference;
  if (isPluralOfName(old, now, difference)) return true;
  const named = (only: readonly Word[], others: readonly Word[]) =>
    only.filter(
      (word) =>
        word.isName &&
        !isAbbreviationOf(word, others) &&
        !others.some((other) => isDerived(word.text, other.text)),
    );
  const [gone, come] = [named(onlyOld, onlyNew), named(onlyNew, onlyOld)];
  if (gone.length > 0 && come.length > 0) return true;
  const more = gone.length > 0 ? old : come.length > 0 ? now : undefined;
  if (more === undefined) return false;
  const less = more === old ? now : old;
  // "MacBook Pro" differs from "MacBook".
  const added = more === old ? gone : come;
  if (added.some((word) => isNameQualifier(word, more))) return true;
  // A first name may be added; a name that stands alone narrows the question, or is another one.
  return added.some((word) => !isPartOfSharedName(word, more, less));
}

/** Whether the names around it, without other words in between, include one that the other prompt has. "Graz, Austria" is more than "Austria". */
function isPartOfSharedName(
  word: Word,
  { words, text }: ParsedPrompt,
  { vocabulary }: ParsedPrompt,
): boolean {
  if (text.includes(`${word.raw},`)) return false;
  const at = words.indexOf(word);
  return [1, -1].some((step) => {
    let next = at + step;
    while (words[next]?.isName === true && !vocabulary.has(words[next]?.stem ?? '')) next += step;
    return words[next]?.isName === true;
  });
}

/** "Alien" and "Aliens" with all else equal: a name has no plural. */
function isPluralOfName(old: ParsedPrompt, now: ParsedPrompt, { restOld, restNew }: Difference): boolean {
  if (restOld.length + restNew.length > 0 || old.words.length !== now.words.length) return false;
  return old.words.some((word, at) => {
    const there = now.words[at];
    if (there === undefined || !word.isName || !there.isName || word.stem !== there.stem) return false;
    return (
      word.raw.toLowerCase() === `${there.raw}s`.toLowerCase() ||
      there.raw.toLowerCase() === `${word.raw}s`.toLowerCase()
    );
  });
}

const qualifiers = wordSet('pro max plus mini ultra lite air server enterprise premium home se xl go');

function isNameQualifier(word: Word, { words }: ParsedPrompt): boolean {
  const before = words[words.indexOf(word) - 1];
  return before?.isName === true && qualifiers.has(word.text);
}

/** Mangalore and Mangalorean, Google and googling. */
function isDerived(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (collapseDoubles(one) === collapseDoubles(other)) return true;
  return short.length >= 5 && short.length < long.length && long.startsWith(short.slice(0, -1));
}

/** Whether an abbreviation stands for some of these words. */
function isAbbreviationOf({ raw, text }: Word, others: readonly Word[]): boolean {
  const initials = others.map((word) => word.text[0]).join('');
  return /^\p{Lu}+$/u.test(raw) && initials.includes(text);
}
