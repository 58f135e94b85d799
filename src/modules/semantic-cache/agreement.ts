import { type Answer, canonicalJson } from '../../module-api.ts';
import { opposites } from './text/other-words/opposites.ts';
import { numbersIn } from './text/reading/numbers.ts';
import { normalizeText, wordsIn } from './text/reading/words.ts';

/** The parts of an answer that are compared. */
export interface ComparableAnswer {
  readonly text: string;
  /** Tool calls, in order. */
  readonly calls: string;
}

export function comparableAnswerOf({ content }: Answer): ComparableAnswer {
  const texts: string[] = [];
  const calls: unknown[] = [];
  for (const block of content) {
    if (block.type === 'text') texts.push(block.text);
    if (block.type === 'tool_use') calls.push([block.name, block.input]);
  }
  return { text: texts.join('\n'), calls: canonicalJson(calls) };
}

/** Answers up to this many words make one statement. */
const briefWords = 12;
/** Minimum cosine of equivalent answers, brief and long. */
const cosineMin = { brief: 0.65, long: 0.75 } as const;
/** Minimum overlap of numbers, names and code, relative to the answer that has fewer. */
const overlapMin = { numbers: 0.5, names: 0.5, code: 0.7 } as const;

/**
 * Whether two sampled answers are equivalent: the same verdict, matching numbers, names and code, and similar meaning.
 * Undefined if the cosine is needed but missing.
 */
export function compareAnswers(
  one: ComparableAnswer,
  other: ComparableAnswer,
  cosine: number | undefined,
): boolean | undefined {
  if (one.calls !== other.calls) return false;
  const [first, second] = [factsOf(one.text), factsOf(other.text)];
  // Checked first: different code may have the same surrounding text, or none.
  if (overlap(first.code, second.code) < overlapMin.code) return false;
  if (first.plain === second.plain) return true;
  if (first.verdict !== undefined && second.verdict !== undefined && first.verdict !== second.verdict)
    return false;
  const isBrief = first.words <= briefWords && second.words <= briefWords;
  if (isBrief && first.numbers.join() !== second.numbers.join()) return false;
  if (isBrief && (first.verdict === 'no') !== (second.verdict === 'no')) return false;
  if (isOppositeAnswer(first, second)) return false;
  for (const kind of ['numbers', 'names'] as const)
    if (overlap(first[kind], second[kind]) < overlapMin[kind]) return false;
  if (cosine === undefined) return undefined;
  return cosine >= (isBrief ? cosineMin.brief : cosineMin.long);
}

interface AnswerFacts {
  readonly plain: string;
  readonly words: number;
  readonly verdict: string | undefined;
  readonly numbers: readonly string[];
  readonly names: readonly string[];
  readonly code: readonly string[];
  readonly stems: ReadonlySet<string>;
}

const verdicts: ReadonlyMap<string, string> = new Map([
  ...['yes', 'yeah', 'yep', 'correct', 'true', 'absolutely', 'certainly', 'definitely'].map(
    (word) => [word, 'yes'] as const,
  ),
  ...['no', 'nope', 'incorrect', 'false', 'never', 'unfortunately'].map((word) => [word, 'no'] as const),
]);

/** The compared parts of a long answer: its beginning, which states the topic, and its end. */
const comparedCharacters = { beginning: 3000, end: 1000 } as const;

function comparedPart(text: string): string {
  const { beginning, end } = comparedCharacters;
  return text.length <= beginning + end ? text : `${text.slice(0, beginning)}\n${text.slice(-end)}`;
}

function factsOf(whole: string): AnswerFacts {
  const text = comparedPart(whole);
  const code = [...text.matchAll(/```(?:[^\n`]*\n)?([\s\S]*?)```|`([^`\n]+)`/g)].map((match) =>
    (match[1] ?? match[2] ?? '').replaceAll(/\s+/g, ' ').trim(),
  );
  const level = normalizeText(text.replaceAll(/```[\s\S]*?```/g, ' ').replaceAll(/[*_#>|]/g, ' '));
  const words = wordsIn(level);
  return {
    plain: words.map((word) => word.text).join(' '),
    words: words.length,
    verdict: verdictOf(level, words[0]?.text ?? ''),
    // List numbers are ignored.
    numbers: [
      ...new Set(numbersIn(level.replaceAll(/(?<=^|\s)\d+[.)]\s/g, ' ')).map(({ value }) => value)),
    ].sort(),
    names: [...new Set(words.filter((word) => word.isName).map((word) => word.text))],
    code: code.flatMap((piece) => piece.match(/[A-Za-z_]\w+/g) ?? []),
    stems: new Set(words.map((word) => word.stem)),
  };
}

const denial = /\b(?:not|no|never|cannot|nothing|nobody|none|neither|unable|without)\b|n't\b/i;

/** The verdict at the start of an answer: a word like "yes", or a sentence with a negation. */
function verdictOf(text: string, firstWord: string): string | undefined {
  const [sentence = ''] = text.split(/(?<=[.!?])\s/, 1);
  return verdicts.get(firstWord) ?? (denial.test(sentence) ? 'no' : undefined);
}

/** Whether one of two brief answers has the opposite of a word of the other. */
function isOppositeAnswer(one: AnswerFacts, other: AnswerFacts): boolean {
  if (one.words > briefWords || other.words > briefWords) return false;
  return [...one.stems].some(
    (stem) =>
      !other.stems.has(stem) &&
      [...(opposites.get(stem) ?? [])].some((turn) => other.stems.has(turn) && !one.stems.has(turn)),
  );
}

/** The share of the smaller list that is in the other; 1 if one is empty. */
function overlap(one: readonly string[], other: readonly string[]): number {
  const [few, many] =
    one.length < other.length ? [new Set(one), new Set(other)] : [new Set(other), new Set(one)];
  if (few.size === 0) return 1;
  return [...few].filter((item) => many.has(item)).length / few.size;
}
