import type { ReplyEvent, Usage } from '../kernel/message.ts';
import type { RelayRoute } from '../kernel/relay.ts';
import type { ReplyDecoder } from '../kernel/wire-format.ts';
import { parseExactObject } from './json-values.ts';
import { type SseFrame, SseParser } from './sse.ts';

/** Watches a relayed stream: when it begins, and the last usage in its frames. Without `usageOf`, no byte is read. */
export class RelayStreamDecoder implements ReplyDecoder {
  /** The format of the stream is unknown, so only a broken connection shows that it is incomplete. */
  readonly finished = true;
  readonly unread = { tokens: 0, calls: 0 };
  readonly #usageOf: RelayRoute['usageOf'];
  readonly #frames = new SseParser();
  #hasBegun = false;
  #usage: Usage | undefined;

  constructor(usageOf: RelayRoute['usageOf']) {
    this.#usageOf = usageOf;
  }

  push(chunk: Uint8Array): readonly ReplyEvent[] {
    if (this.#usageOf !== undefined) this.#read(this.#frames.push(chunk));
    if (this.#hasBegun) return [];
    this.#hasBegun = true;
    return [{ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }];
  }

  end(): readonly ReplyEvent[] {
    if (this.#usageOf !== undefined) this.#read(this.#frames.end());
    const usage = this.#usage;
    return [
      ...(usage === undefined
        ? []
        : [{ type: 'message_delta', delta: { stop_reason: null }, usage } as const]),
      { type: 'message_stop' },
    ];
  }

  #read(frames: readonly SseFrame[]): void {
    for (const { data } of frames) {
      const answer = data.includes('"usage"') ? parseExactObject(data) : undefined;
      this.#usage = (answer && this.#usageOf?.(answer)) ?? this.#usage;
    }
  }
}
