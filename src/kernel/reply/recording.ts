import type { ReplyEvent } from '../message.ts';
import type { Framing } from '../wire-format.ts';
import type { Raw } from './reply.ts';

/** A whole answer as plain data, to be replayed later. */
export interface Recording {
  /** The format of `body`; empty when it holds a list of events instead of a provider's bytes. */
  readonly wire: string;
  readonly framing: Framing;
  readonly body: Uint8Array;
  /** Usage in it was asked for by the gateway, and is not for clients that don't ask. */
  readonly usageAsked?: true;
}

const milestones = new WeakMap<Recording, readonly ReplyEvent[]>();

/** The milestones of an answer that was replayed before; undefined where nobody has read it yet. */
export function milestonesIn(recording: Recording): readonly ReplyEvent[] | undefined {
  return milestones.get(recording);
}

/** Only where they are a few figures: an answer that had to be read whole would be held twice. */
export function keepMilestones(recording: Recording, events: readonly ReplyEvent[]): void {
  const holdContent = events.some(
    (event) => event.type === 'message_start' && event.message.content.length > 0,
  );
  if (!holdContent) milestones.set(recording, events);
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
