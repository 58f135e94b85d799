import type { ReplyEvent } from './message.ts';
import type { Raw } from './reply.ts';
import type { Framing } from './wire-format.ts';

/** A whole answer as plain data, to be replayed later. */
export interface Recording {
  /** The format of `body`; empty when it holds a list of events instead of a provider's bytes. */
  readonly wire: string;
  readonly framing: Framing;
  readonly body: Uint8Array;
}

/** Takes an answer down while it passes, up to a size. */
export class Recorder {
  readonly #bytesMax: number;
  #bytes = 0;
  #chunks: Uint8Array[] = [];
  #events: ReplyEvent[] = [];

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  bytes(chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes <= this.#bytesMax) this.#chunks.push(chunk);
    else this.#chunks = [];
  }

  events(events: readonly ReplyEvent[]): void {
    for (const event of events) this.#bytes += JSON.stringify(event).length;
    if (this.#bytes <= this.#bytesMax) this.#events.push(...events);
    else this.#events = [];
  }

  finish(raw: Raw | undefined): Recording | undefined {
    if (this.#bytes > this.#bytesMax) return undefined;
    if (raw === undefined)
      return { wire: '', framing: 'json', body: Buffer.from(JSON.stringify(this.#events)) };
    return { wire: raw.wire.name, framing: raw.framing, body: Buffer.concat(this.#chunks) };
  }
}

/** One line that says what it is, then the body. */
export function packRecording({ wire, framing, body }: Recording): Uint8Array {
  return Buffer.concat([Buffer.from(`${wire} ${framing}\n`), body]);
}

export function unpackRecording(packed: Uint8Array): Recording {
  const lineEnd = packed.indexOf(10);
  const [wire = '', framing] = Buffer.from(packed.subarray(0, lineEnd)).toString('utf8').split(' ');
  return { wire, framing: framing === 'sse' ? 'sse' : 'json', body: packed.subarray(lineEnd + 1) };
}
