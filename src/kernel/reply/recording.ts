import { appendChunk } from '../../lib/append-chunk.ts';
import type { ReplyEvent } from '../message.ts';
import type { Framing, Interest, ProviderFormat, ReplyDecoder } from '../wire-format.ts';

/** A whole answer as plain data, which can be replayed. */
export interface Recording {
  /** The format of `body`; empty if it contains events instead of a provider's bytes. */
  readonly wire: string;
  readonly framing: Framing;
  readonly body: Uint8Array;
  /** Whether it contains usage that only the gateway asked for; clients that don't ask must not get it. */
  readonly usageRequested?: true;
  /** Its milestones, once they have been decoded. */
  milestones?: readonly ReplyEvent[];
}

/** Records an answer while it passes, up to a size. */
export class Recorder {
  readonly #bytesMax: number;
  #bytes = 0;
  #chunks: Uint8Array[] = [];
  #events: ReplyEvent[] = [];

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  addBytes(chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes <= this.#bytesMax) appendChunk(this.#chunks, chunk);
    else this.#chunks = [];
  }

  addEvents(events: readonly ReplyEvent[]): void {
    for (const event of events) this.#bytes += JSON.stringify(event).length;
    if (this.#bytes <= this.#bytesMax) this.#events.push(...events);
    else this.#events = [];
  }

  /** Undefined if it was too large. `raw` describes its bytes; without it there are only events. */
  finish(raw: RecordedFormat | undefined): Recording | undefined {
    if (this.#bytes > this.#bytesMax) return undefined;
    if (raw === undefined)
      return { wire: '', framing: 'json', body: Buffer.from(JSON.stringify(this.#events)) };
    const { wire, framing, usageRequested } = raw;
    const recording = { wire: wire.name, framing, body: Buffer.concat(this.#chunks) };
    return usageRequested === undefined ? recording : { ...recording, usageRequested };
  }
}

interface RecordedFormat {
  readonly wire: ProviderFormat;
  readonly framing: Framing;
  readonly usageRequested?: true;
}

/** Decodes a replayed answer; caches the milestones when they are read a second time. */
export class ReplayDecoder implements ReplyDecoder {
  readonly #recording: Recording;
  readonly #decoder: ReplyDecoder | undefined;
  #cachedMilestones: readonly ReplyEvent[];
  readonly #decodedMilestones: ReplyEvent[] | undefined;

  constructor(recording: Recording, wire: ProviderFormat, interest: Interest) {
    const known = interest === 'milestones' ? recording.milestones : undefined;
    this.#recording = recording;
    this.#cachedMilestones = known ?? [];
    this.#decoder = known === undefined ? wire.replyDecoder(recording.framing, interest) : undefined;
    this.#decodedMilestones = interest === 'milestones' ? [] : undefined;
  }

  push(chunk: Uint8Array): readonly ReplyEvent[] {
    if (this.#decoder !== undefined) return this.#collect(this.#decoder.push(chunk));
    const known = this.#cachedMilestones;
    this.#cachedMilestones = [];
    return known;
  }

  end(): readonly ReplyEvent[] {
    if (this.#decoder === undefined) return [];
    const last = this.#collect(this.#decoder.end());
    if (
      this.#decoder.finished &&
      this.#decodedMilestones !== undefined &&
      !this.#decodedMilestones.some(holdsContent)
    )
      this.#recording.milestones = this.#decodedMilestones;
    return last;
  }

  get finished(): boolean {
    return this.#decoder?.finished ?? true;
  }

  get unread() {
    return this.#decoder?.unread ?? noUnread;
  }

  #collect(events: readonly ReplyEvent[]): readonly ReplyEvent[] {
    this.#decodedMilestones?.push(...events);
    return events;
  }
}

const noUnread = { tokens: 0, calls: 0 } as const;

/** Avoids keeping an answer twice if it had to be decoded whole. */
function holdsContent(event: ReplyEvent): boolean {
  return event.type === 'message_start' && event.message.content.length > 0;
}

/** Serializes one header line, then the body. */
export function packRecording({ wire, framing, body, usageRequested }: Recording): Uint8Array {
  const mark = usageRequested === undefined ? '' : ` ${usageRequestedMark}`;
  return Buffer.concat([Buffer.from(`${wire} ${framing}${mark}\n`), body]);
}

const usageRequestedMark = 'usage-asked';

export function unpackRecording(packed: Uint8Array): Recording {
  const lineEnd = packed.indexOf(10);
  const [wire = '', framing, mark] = Buffer.from(packed.subarray(0, lineEnd)).toString('utf8').split(' ');
  const body = packed.subarray(lineEnd + 1);
  return {
    wire,
    framing: framing === 'sse' ? 'sse' : 'json',
    body,
    ...(mark === usageRequestedMark && { usageRequested: true }),
  };
}
