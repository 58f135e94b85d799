import type { RE2JS } from 're2js';
import { limits } from './limits.ts';

/** A range of a text, in UTF-16 units. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** An instruction of a program of re2js. */
interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  readonly runes: Int32Array;
  matchRune(rune: number): boolean;
}

/** The operations of re2js. */
const op = { alternative: 1, alternativeMatch: 2, capture: 3, assertion: 4, fail: 5, match: 6, nothing: 7 };
const foldsCase = 1;

/** Assertions of re2js, which an instruction has in `arg`. */
const assertion = { lineStart: 1, lineEnd: 2, textStart: 4, textEnd: 8, boundary: 16, noBoundary: 32 };

/** What stands in front of a position. */
const before = { other: 0, textStart: 1, lineEnd: 2, word: 3 } as const;
type Before = (typeof before)[keyof typeof before];
const allBefore: readonly Before[] = Object.values(before);

const deadState = 0;
const newline = 10;
const codePointMax = 0x10ffff;

/** The expression needs a larger table than rules may have. */
export class TooManyStatesError extends Error {}

/**
 * A regular expression as a complete table of states, so that a search takes a bounded number of steps, whatever the text
 * is. re2js parses the expression and makes its program. Its own search for all matches takes quadratic time, and a
 * hundred times as long for common expressions.
 */
export class Automaton {
  /** UTF-16 units of the longest match; undefined if there is no longest one. */
  readonly charactersMax: number | undefined;
  readonly matchesNothing: boolean;
  readonly #alphabet: Alphabet;
  readonly #table: Uint16Array;
  readonly #starts: readonly number[];
  /** ASCII characters that no match starts with. */
  readonly #cannotStart: Uint8Array;

  constructor(expression: RE2JS) {
    const program = expression.re2().prog;
    const instructions: readonly Instruction[] = program.inst;
    this.#alphabet = new Alphabet(instructions);
    const { starts, rows } = determinize(instructions, program.start, this.#alphabet);
    const { columns } = this.#alphabet;
    removeUselessStates(rows);
    this.#starts = starts;
    this.#table = Uint16Array.from(rows.flat());
    this.matchesNothing = starts.some((state) => rows[state]?.some(isAccepting));
    this.charactersMax = longestMatch(rows, starts, (column) => this.#alphabet.widthOf(column));
    this.#cannotStart = Uint8Array.from({ length: 128 }, (_, code) => {
      const column = this.#alphabet.columnOf(code);
      return starts.every((state) => nextOf(this.#table[state * columns + column] ?? 0) === deadState)
        ? 1
        : 0;
    });
  }

  get stateCount(): number {
    return this.#table.length / this.#alphabet.columns;
  }

  /**
   * The leftmost matches, which don't overlap. If a text takes more steps than allowed, the rest of it counts as one
   * match.
   */
  *find(text: string): Generator<TextRange> {
    const { columns, endColumn } = this.#alphabet;
    const { length } = text;
    let steps = limits.stepsPerCharacterMax * (length + 1);
    // The state in which a search without a further match passed each position: another one in that state fails, too.
    let failed: Uint16Array | undefined;
    let start = 0;
    while (start < length) {
      const first = text.charCodeAt(start);
      if (first < 128 && this.#cannotStart[first] === 1) {
        start++;
        continue;
      }
      let state = this.#starts[beforePosition(text, start)] ?? deadState;
      let position = start;
      let end = start;
      while (state !== deadState) {
        const code = position < length ? codeAt(text, position) : -1;
        const cell =
          this.#table[state * columns + (code < 0 ? endColumn : this.#alphabet.columnOf(code))] ?? 0;
        if (isAccepting(cell)) end = position;
        state = nextOf(cell);
        position += code > 0xffff ? 2 : 1;
        if (code < 0 || failed?.[position] === state) break;
        if (--steps < 0) {
          yield { start, end: length };
          return;
        }
        if (failed !== undefined) failed[position] = state;
        else if (position - start > limits.forgottenSteps) failed = new Uint16Array(length + 2);
      }
      if (end > start) yield { start, end };
      if (end > start) start = end;
      else start += codeAt(text, start) > 0xffff ? 2 : 1;
    }
  }
}

function codeAt(text: string, position: number): number {
  const unit = text.charCodeAt(position);
  return unit < 0xd800 ? unit : (text.codePointAt(position) ?? unit);
}

/** A cell has the next state and whether a match ends in front of the character. */
function isAccepting(cell: number): boolean {
  return (cell & 1) === 1;
}

function nextOf(cell: number): number {
  return cell >> 1;
}

/** Characters that an expression treats alike share a column of the table; the last column is the end of the text. */
class Alphabet {
  readonly columns: number;
  readonly endColumn: number;
  /** A character of each column. */
  readonly samples: readonly number[];
  readonly hasAssertions: boolean;
  readonly #bounds: Int32Array;
  readonly #columnOfRange: Uint16Array;
  readonly #ascii: Uint16Array;
  readonly #widths: readonly number[];

  constructor(instructions: readonly Instruction[]) {
    const readers = distinctReaders(instructions);
    this.hasAssertions = instructions.some((one) => one.op === op.assertion);
    const bounds = boundsOf(readers, this.hasAssertions);
    const columns = new Map<string, number>();
    const samples: number[] = [];
    const widths: number[] = [];
    this.#columnOfRange = Uint16Array.from(bounds, (bound, index) => {
      const kind = this.hasAssertions ? beforeAfter(bound) : '';
      const behaviour = `${kind} ${readers.map((reader) => (reader.matchRune(bound) ? 1 : 0)).join('')}`;
      const column = columns.get(behaviour) ?? columns.size;
      columns.set(behaviour, column);
      samples[column] ??= bound;
      if ((bounds[index + 1] ?? codePointMax + 1) > 0x10000) widths[column] = 2;
      widths[column] ??= 1;
      return column;
    });
    this.#bounds = Int32Array.from(bounds);
    this.#widths = widths;
    this.samples = samples;
    this.endColumn = samples.length;
    this.columns = samples.length + 1;
    this.#ascii = Uint16Array.from({ length: 128 }, (_, code) => this.#search(code));
  }

  columnOf(code: number): number {
    return code < 128 ? (this.#ascii[code] ?? 0) : this.#search(code);
  }

  /** UTF-16 units of the longest character. */
  widthOf(column: number): number {
    return this.#widths[column] ?? 0;
  }

  #search(code: number): number {
    let low = 0;
    let high = this.#bounds.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#bounds[middle] ?? 0) <= code) low = middle;
      else high = middle - 1;
    }
    return this.#columnOfRange[low] ?? 0;
  }
}

/** The instructions that read a character, one of each kind. */
function distinctReaders(instructions: readonly Instruction[]): readonly Instruction[] {
  const readers = instructions.filter((one) => one.op > op.nothing);
  return [...new Map(readers.map((one) => [`${one.arg & foldsCase} ${one.runes.join()}`, one])).values()];
}

/** Where ranges of characters begin that are treated alike. */
function boundsOf(readers: readonly Instruction[], hasAssertions: boolean): readonly number[] {
  const bounds = new Set([0]);
  const addRange = (from = 0, to = from) => bounds.add(from).add(to + 1);
  for (const { runes } of readers)
    if (runes.length === 1) for (const variant of caseVariantsOf(runes[0] ?? 0)) addRange(variant);
    else for (let index = 0; index < runes.length; index += 2) addRange(runes[index], runes[index + 1]);
  if (hasAssertions)
    for (const [from, to] of [[newline], [48, 57], [65, 90], [95], [97, 122]]) addRange(from, to);
  return [...bounds].filter((bound) => bound <= codePointMax).sort((one, other) => one - other);
}

/** Upper case, lower case, and the two letters that fold to ASCII. */
function caseVariantsOf(rune: number): readonly number[] {
  const letter = String.fromCodePoint(rune);
  const cased = [letter, letter.toLowerCase(), letter.toUpperCase()].filter((one) => [...one].length === 1);
  return [...cased.map((one) => one.codePointAt(0) ?? 0), 0x17f, 0x212a];
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
function determinize(instructions: readonly Instruction[], start: number, alphabet: Alphabet): RowsAndStarts {
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

function beforePosition(text: string, position: number): Before {
  return position === 0 ? before.textStart : beforeAfter(text.charCodeAt(position - 1));
}

function beforeAfter(rune: number | undefined): Before {
  if (rune === newline) return before.lineEnd;
  return rune !== undefined && isWord(rune) ? before.word : before.other;
}

/** RE2 knows ASCII words only. */
function isWord(rune: number): boolean {
  return (
    (rune >= 97 && rune <= 122) || (rune >= 65 && rune <= 90) || (rune >= 48 && rune <= 57) || rune === 95
  );
}

/** Leads to the dead state where no match can follow, so that searches end early. */
function removeUselessStates(rows: number[][]): void {
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
function longestMatch(
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
