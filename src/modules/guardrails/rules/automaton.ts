import type { RE2JS } from 're2js';
import { codeAt } from '../code-at.ts';
import { Alphabet } from './alphabet.ts';
import { limits } from './limits.ts';
import { type Before, before, beforeAfter } from './preceding.ts';
import type { Instruction } from './program.ts';
import {
  deadState,
  determinize,
  isAccepting,
  longestMatch,
  nextOf,
  removeUselessStates,
} from './state-table.ts';

/** A range of a text, in UTF-16 units. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

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

function beforePosition(text: string, position: number): Before {
  return position === 0 ? before.textStart : beforeAfter(text.charCodeAt(position - 1));
}
