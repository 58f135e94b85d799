import type { Alphabet } from './alphabet.ts';
import { limits } from './limits.ts';
import { allBefore, type Before, before, beforeAfter, isWord, newline } from './preceding.ts';
import { assertion, type Instruction, op } from './program.ts';

/** No match can follow. */
export const deadState = 0;

/** The expression needs a larger table than rules may have. */
export class TooManyStatesError extends Error {}

/** A cell has the next state and whether a match ends in front of the character. */
export function isAccepting(cell: number): boolean {
  return (cell & 1) === 1;
}

export function nextOf(cell: number): number {
  return cell >> 1;
}

interface RowsAndStarts {
  /** Cells by state and column. */
  readonly rows: number[][];
  /** The first state, by what stands in front of the text. */
  readonly starts: readonly number[];
}

/** A state: the instructions to continue with, the preferred ones first, and what the last character was. */
interface State {
  readonly instructions: readonly number[];
  readonly preceding: Before;
}

/** Makes the table of a program. Throws a `TooManyStatesError`. */
export function determinize(
  instructions: readonly Instruction[],
  start: number,
  alphabet: Alphabet,
): RowsAndStarts {
  const states: State[] = [{ instructions: [], preceding: before.other }];
  const numbers = new Map<string, number>([['', deadState]]);
  const numberOf = (state: State): number => {
    const key = state.instructions.length === 0 ? '' : `${state.preceding} ${state.instructions.join()}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    if ((states.length + 1) * alphabet.columns > limits.tableCellsMax) throw new TooManyStatesError();
    numbers.set(key, states.length);
    return states.push(state) - 1;
  };
  const starts = allBefore.map((preceding) =>
    numberOf({ instructions: [start], preceding: alphabet.hasAssertions ? preceding : before.other }),
  );
  const rows: number[][] = [];
  for (let number = 0; number < states.length; number++) {
    const { instructions: first, preceding } = states[number] ?? {
      instructions: [],
      preceding: before.other,
    };
    const closures = new Map<number, readonly number[]>();
    rows[number] = Array.from({ length: alphabet.columns }, (_, column) => {
      const rune = alphabet.samples[column];
      const holds = alphabet.hasAssertions ? assertionsAt(preceding, rune) : 0;
      const reached = closures.get(holds) ?? closureOf(instructions, first, holds);
      closures.set(holds, reached);
      const accepting = reached.at(-1) === matched;
      const following = new Set<number>();
      if (rune !== undefined)
        for (const at of reached)
          if (instructions[at]?.matchRune(rune) === true) following.add(instructions[at].out);
      const next = numberOf({
        instructions: [...following],
        preceding: alphabet.hasAssertions ? beforeAfter(rune) : before.other,
      });
      return next * 2 + (accepting ? 1 : 0);
    });
  }
  return { rows, starts };
}

/** The last element of a closure if a match ends there: less preferred instructions don't count then. */
const matched = -1;

/** The instructions that read a character, the preferred ones first, which can be reached where these assertions hold. */
function closureOf(
  instructions: readonly Instruction[],
  first: readonly number[],
  holds: number,
): readonly number[] {
  const reached: number[] = [];
  const seen = new Set<number>();
  const waiting = first.toReversed();
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const instruction = instructions[at];
    if (instruction === undefined || seen.has(at)) continue;
    seen.add(at);
    if (instruction.op === op.match) return [...reached, matched];
    if (instruction.op === op.alternative || instruction.op === op.alternativeMatch)
      waiting.push(instruction.arg, instruction.out);
    else if (instruction.op === op.capture || instruction.op === op.nothing) waiting.push(instruction.out);
    else if (instruction.op === op.assertion) {
      if ((instruction.arg & ~holds) === 0) waiting.push(instruction.out);
    } else if (instruction.op !== op.fail) reached.push(at);
  }
  return reached;
}

/** The assertions that hold between what precedes and the next character, or the end of the text. */
function assertionsAt(preceding: Before, rune: number | undefined): number {
  const isBoundary = (preceding === before.word) !== (rune !== undefined && isWord(rune));
  let holds = isBoundary ? assertion.boundary : assertion.noBoundary;
  if (preceding === before.textStart) holds |= assertion.textStart | assertion.lineStart;
  if (preceding === before.lineEnd) holds |= assertion.lineStart;
  if (rune === undefined) holds |= assertion.textEnd | assertion.lineEnd;
  if (rune === newline) holds |= assertion.lineEnd;
  return holds;
}

/** Leads to the dead state where no match can follow, so that searches end early. */
export function removeUselessStates(rows: number[][]): void {
  const useful = new Set<number>();
  for (let size = -1; size < useful.size; ) {
    size = useful.size;
    // Later states follow earlier ones, mostly.
    for (let state = rows.length - 1; state > deadState; state--)
      if (rows[state]?.some((cell) => isAccepting(cell) || useful.has(nextOf(cell)))) useful.add(state);
  }
  for (const row of rows)
    for (const [column, cell] of row.entries()) if (!useful.has(nextOf(cell))) row[column] = cell & 1;
}

/** The longest way through the table; undefined if it has a circle. */
export function longestMatch(
  rows: readonly (readonly number[])[],
  starts: readonly number[],
  widthOf: (column: number) => number,
): number | undefined {
  const lengths = new Map<number, number>([[deadState, 0]]);
  const open = new Set<number>();
  const waiting = [...starts];
  for (let state = waiting.at(-1); state !== undefined; state = waiting.at(-1)) {
    const row = rows[state] ?? [];
    const unknown = lengths.has(state)
      ? []
      : [...new Set(row.map(nextOf))].filter((next) => !lengths.has(next));
    if (unknown.length > 0) {
      if (open.has(state)) return undefined;
      open.add(state);
      waiting.push(...unknown);
      if (unknown.some((next) => open.has(next))) return undefined;
      continue;
    }
    waiting.pop();
    const ways = row.map((cell, column) =>
      nextOf(cell) === deadState ? 0 : widthOf(column) + (lengths.get(nextOf(cell)) ?? 0),
    );
    if (!lengths.has(state)) lengths.set(state, Math.max(...ways));
  }
  return Math.max(...starts.map((state) => lengths.get(state) ?? 0));
}
