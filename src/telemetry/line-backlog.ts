import { limits } from './limits.ts';

/** Lines to write together. */
export interface LineChunk {
  readonly bytes: Buffer;
  /** Bytes before this offset are written. */
  offset: number;
}

const lineBreak = 10;

/** A bounded queue of lines, and a count of the lost ones. */
export class LineBacklog {
  #chunks: LineChunk[] = [];
  #bytes = 0;
  #lost = 0;

  get lost(): number {
    return this.#lost;
  }

  get first(): LineChunk | undefined {
    return this.#chunks[0];
  }

  add(lines: string): void {
    const bytes = Buffer.from(lines);
    // With a reader this far behind, losing lines is better than running out of memory.
    if (this.#bytes + bytes.length > limits.logLinesBytesWaiting) this.#lost += countLines(bytes, 0);
    else {
      this.#chunks.push({ bytes, offset: 0 });
      this.#bytes += bytes.length;
    }
  }

  /** Removes the first chunk while another thread writes it; its bytes still count as waiting. */
  lendFirst(): void {
    this.#chunks.shift();
  }

  returnFirst(lineChunk: LineChunk): void {
    this.#chunks.unshift(lineChunk);
  }

  /** Marks bytes of the first chunk as written. */
  markWritten(bytes: number): void {
    const { first } = this;
    if (first === undefined) return;
    this.#bytes -= bytes;
    first.offset += bytes;
    if (first.offset === first.bytes.length) this.#chunks.shift();
  }

  /** Drops everything but the rest of a partially written line, which comes first when writing works again. */
  dropExceptPartialLine(): void {
    const rest = partialLine(this.first);
    this.dropAll();
    if (rest === undefined) return;
    this.#lost--;
    this.#chunks = [rest];
    this.#bytes = rest.bytes.length - rest.offset;
  }

  dropAll(): void {
    for (const { bytes, offset } of this.#chunks) this.#lost += countLines(bytes, offset);
    this.#chunks = [];
    this.#bytes = 0;
  }
}

function countLines(bytes: Buffer, from: number): number {
  let lines = 0;
  for (let at = bytes.indexOf(lineBreak, from); at !== -1; at = bytes.indexOf(lineBreak, at + 1)) lines++;
  return lines;
}

function partialLine(lineChunk: LineChunk | undefined): LineChunk | undefined {
  if (lineChunk === undefined) return undefined;
  const { bytes, offset } = lineChunk;
  if (offset === 0 || bytes[offset - 1] === lineBreak) return undefined;
  return { bytes: bytes.subarray(0, bytes.indexOf(lineBreak, offset) + 1), offset };
}
