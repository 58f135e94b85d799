import type { ReplyEvent } from './message.ts';
import type { Raw } from './reply.ts';
import type { Framing } from './wire-format.ts';

/** A whole answer as plain data, to be replayed later. */
export interface Recording {
  /** The format of `body`; empty when it holds a list of events instead of a provider's bytes. */
  readonly wire: string;
  readonly framing: Framing;
  readonly body: Uint8Array;
  /** Usage in it was asked for by the gateway, and is not for clients that don't ask. */
  readonly usageAsked?: true;
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
    const { wire, framing, usageAsked } = raw;
    const recording = { wire: wire.name, framing, body: Buffer.concat(this.#chunks) };
    return usageAsked === undefined ? recording : { ...recording, usageAsked };
  }
}

/** One line that says what it is, then the body. */
export function packRecording({ wire, framing, body, usageAsked }: Recording): Uint8Array {
  const mark = usageAsked === undefined ? '' : ` ${asked}`;
  return Buffer.concat([Buffer.from(`${wire} ${framing}${mark}\n`), body]);
}

const asked = 'usage-asked';

export function unpackRecording(packed: Uint8Array): Recording {
  const lineEnd = packed.indexOf(10);
  const [wire = '', framing, mark] = Buffer.from(packed.subarray(0, lineEnd)).toString('utf8').split(' ');
  const body = packed.subarray(lineEnd + 1);
  return {
    wire,
    framing: framing === 'sse' ? 'sse' : 'json',
    body,
    ...(mark === asked && { usageAsked: true }),
  };
}
