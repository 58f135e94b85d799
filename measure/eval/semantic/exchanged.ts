import { wordsIn } from '../../../src/modules/semantic-cache/text/reading/words.ts';
import { type Pair, shuffled } from './sets.ts';

/** Where two words aren't only the sides of a conjunction. */
const conjunction = /^(?:and|or|vs|versus|&|,|nor)$/i;
const lead = /^(?:a|an|the|my|to|in|of|for)$/i;
const wordsLeast = 7;
const wordsMost = 45;

/** Twins of texts in which two words, or two pairs of words, changed places: hardly any has the same answer. */
export function exchangedPairs(texts: readonly string[], count: number, random: () => number): Pair[] {
  const pairs: Pair[] = [];
  for (const text of shuffled([...new Set(texts)], random)) {
    if (pairs.length === count) break;
    const twin = twinOf(text, random);
    if (twin !== undefined) pairs.push({ id: String(pairs.length), ...twin, same: false });
  }
  return pairs;
}

function twinOf(text: string, random: () => number): Pick<Pair, 'a' | 'b'> | undefined {
  const tokens: readonly string[] = text.match(/[\p{L}\p{N}'’.$%-]*[\p{L}\p{N}]|\S/gu) ?? [];
  if (tokens.length < wordsLeast || tokens.length > wordsMost) return undefined;
  const runs = contentRuns(tokens);
  for (let tries = 0; tries < 10; tries++) {
    const [one, other] = shuffled(runs, random)
      .slice(0, 2)
      .sort((first, second) => first.from - second.from);
    if (one === undefined || other === undefined) return undefined;
    const length = Math.min(one.to - one.from, other.to - other.from, random() < 0.5 ? 1 : 2);
    const cut = random() < 0.5 ? firstOf : lastOf;
    const [here, there] = [cut(one, length), cut(other, length)];
    const [first, second] = [tokens.slice(here.from, here.to), tokens.slice(there.from, there.to)];
    const between = tokens.slice(here.to, there.from);
    const areSides = between.every((token) => conjunction.test(token) || lead.test(token));
    if (areSides && between.some((token) => conjunction.test(token))) continue;
    if (first.join(' ').toLowerCase() === second.join(' ').toLowerCase()) continue;
    const swapped = [
      ...tokens.slice(0, here.from),
      ...second,
      ...between,
      ...first,
      ...tokens.slice(there.to),
    ];
    return { a: joined(tokens), b: joined(swapped) };
  }
  return undefined;
}

interface Run {
  readonly from: number;
  readonly to: number;
}

function firstOf({ from }: Run, length: number): Run {
  return { from, to: from + length };
}

function lastOf({ to }: Run, length: number): Run {
  return { from: to - length, to };
}

/** Content words without a function word or mark between them. */
function contentRuns(tokens: readonly string[]): readonly Run[] {
  const runs: Run[] = [];
  for (const [at, token] of tokens.entries()) {
    if (!/[\p{L}\p{N}]/u.test(token) || wordsIn(`x ${token}`).at(-1)?.isContent !== true) continue;
    const last = runs.at(-1);
    if (last?.to === at) runs[runs.length - 1] = { from: last.from, to: at + 1 };
    else runs.push({ from: at, to: at + 1 });
  }
  return runs;
}

function joined(tokens: readonly string[]): string {
  return tokens.join(' ').replaceAll(/ (?=[.,?!;:)])/g, '');
}
