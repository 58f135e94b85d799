import type { Word } from '../reading/words.ts';

/** Endings by word class, longer ones first: exchanging endings of a class gives a different word of the same root. */
const endingsByKind: readonly (readonly string[])[] = [
  'ative itive ical ious eous able ible ial ary ive ous ful ish ant ent ate ic al',
  'ation ition ality ment sion tion ness ship hood ance ence ancy ency ion ity age ism ist ian eer er or ee',
].map((endings) => endings.split(' '));

/** Historic and historical, sensible and sensitive, employer and employment. */
export function areDifferentDerivations(one: string, other: string): boolean {
  return endingsByKind.some((endings) => {
    const [first, second] = [splitOf(one, endings), splitOf(other, endings)];
    if (first === undefined || second === undefined) return false;
    return first.root === second.root && first.ending !== second.ending;
  });
}

const rootLettersLeast = 4;

function splitOf(word: string, endings: readonly string[]) {
  const ending = endings.find((end) => word.endsWith(end) && word.length - end.length >= rootLettersLeast);
  return ending === undefined ? undefined : { ending, root: word.slice(0, -ending.length) };
}

/** Whether one word is the comparative or superlative of the other: safe and safest. */
export function differInDegree(one: string, other: string): boolean {
  return [one, other].some((word) => {
    const base = /^(\w{3,}?)(?:er|est)$/.exec(word)?.[1];
    const plain = word === one ? other : one;
    if (base === undefined) return false;
    return [base, `${base}e`, base.replace(/i$/, 'y'), base.replace(/(.)\1$/, '$1')].includes(plain);
  });
}

/** Whether two different words are both adverbs: fairly and perfectly. */
export function areDifferentAdverbs(one: Word, other: Word): boolean {
  return [one, other].every(({ text, isName }) => text.length > 4 && text.endsWith('ly') && !isName);
}

/** Whether two words differ only by accents, which the models ignore. */
export function differByAccents(one: string, other: string): boolean {
  return one !== other && stripAccents(one) === stripAccents(other);
}

function stripAccents(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '');
}
