import type { TokenizedWord } from './word-piece-tokenizer.ts';

/**
 * How a word is written, for the tagger, whose word pieces are in lower case: its shape, plus 6 if it follows another
 * character without a space between.
 */
export function caseClassOf(text: string, { start, end }: TokenizedWord): number {
  const isGlued = start > 0 && !space.test(text.charAt(start - 1));
  return shapeOf(text.slice(start, end)) + (isGlued ? gluedShift : 0);
}

const gluedShift = 6;
const shapes = { noLetters: 0, lower: 1, title: 2, upper: 3, mixed: 4, digits: 5 };
const space = /[\s\p{Zs}]/u;

function shapeOf(word: string): number {
  if (/\p{Nd}/u.test(word)) return shapes.digits;
  const letters = word.match(/\p{L}/gu) ?? [];
  if (letters.length === 0) return shapes.noLetters;
  const capitals = letters.filter((letter) => isCapital.test(letter)).length;
  if (capitals === 0) return shapes.lower;
  if (capitals === 1 && isCapital.test(word.charAt(0))) return shapes.title;
  return capitals === letters.length ? shapes.upper : shapes.mixed;
}

const isCapital = /\p{Lu}/u;
