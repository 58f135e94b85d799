import { limits } from '../kernel/limits.ts';

/** Lines that are written together. */
export interface Piece {
  readonly bytes: Buffer;
  /** What comes before is written. */
  from: number;
}

const lineBreak = 10;

/** Lines that wait to be written, up to a bound, and a count of those that won't be. */
export class Backlog {
  #pieces: Piece[] = [];
  #bytes = 0;
  #lost = 0;

  get lost(): number {
    return this.#lost;
  }

  get first(): Piece | undefined {
    return this.#pieces[0];
  }

  add(lines: string): void {
    const bytes = Buffer.from(lines);
    // Of a reader that is this far behind it is better to lose lines than the gateway.
    if (this.#bytes + bytes.length > limits.logLinesBytesWaiting) this.#lost += linesIn(bytes, 0);
    else {
      this.#pieces.push({ bytes, from: 0 });
      this.#bytes += bytes.length;
    }
  }

  /** For somebody else to write; it still counts as waiting. */
  lendFirst(): void {
    this.#pieces.shift();
  }

  giveBack(piece: Piece): void {
    this.#pieces.unshift(piece);
  }

  /** So much of the first is written. */
  taken(bytes: number): void {
    const { first } = this;
    if (first === undefined) return;
    this.#bytes -= bytes;
    first.from += bytes;
    if (first.from === first.bytes.length) this.#pieces.shift();
  }

  /** All but the rest of a line whose beginning is written: that one comes first when somebody takes lines again. */
  lose(): void {
    const rest = restOfLine(this.first);
    this.loseAll();
    if (rest === undefined) return;
    this.#lost--;
    this.#pieces = [rest];
    this.#bytes = rest.bytes.length - rest.from;
  }

  loseAll(): void {
    for (const { bytes, from } of this.#pieces) this.#lost += linesIn(bytes, from);
    this.#pieces = [];
    this.#bytes = 0;
  }
}

function linesIn(bytes: Buffer, from: number): number {
  let lines = 0;
  for (let at = bytes.indexOf(lineBreak, from); at !== -1; at = bytes.indexOf(lineBreak, at + 1)) lines++;
  return lines;
}

function restOfLine(piece: Piece | undefined): Piece | undefined {
  if (piece === undefined) return undefined;
  const { bytes, from } = piece;
  if (from === 0 || bytes[from - 1] === lineBreak) return undefined;
  return { bytes: bytes.subarray(0, bytes.indexOf(lineBreak, from) + 1), from };
}
