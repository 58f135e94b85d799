import { beforeAfter, newline } from './preceding.ts';
import { foldsCase, type Instruction, op } from './program.ts';

const codePointMax = 0x10ffff;

/** Characters that an expression treats alike share a column of the table; the last column is the end of the text. */
export class Alphabet {
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
