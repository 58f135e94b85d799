import type { StreamLayout } from '../../../kernel/wire-format.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { parseObject } from '../../json-values.ts';
import { decodeOpenaiError } from '../../openai/errors.ts';
import { type SseFrame, SseParser } from '../../sse.ts';
import { errorEvent } from '../error-frame.ts';
import { hasLane, withLane } from './lane.ts';

/** The events of a stream as lines, each of them one message of a WebSocket. Codex ignores errors without a status. */
export class MessageStream implements StreamLayout {
  readonly contentType = 'application/x-ndjson';
  /** The WebSocket has pings of its own. */
  readonly keepAlive = new Uint8Array(0);
  readonly #sse = new SseParser();
  readonly #lane: string | undefined;

  constructor(lane: string | undefined) {
    this.#lane = lane;
  }

  push(chunk: Uint8Array): Uint8Array | undefined {
    return this.#lines(this.#sse.push(chunk));
  }

  end(): Uint8Array | undefined {
    return this.#lines(this.#sse.end());
  }

  encodeError(envelope: JsonObject, status: number): Uint8Array {
    const event = JSON.stringify({ ...errorEvent(envelope), status });
    return Buffer.from(`${withLane(event, this.#lane)}\n`);
  }

  /** Skips comments and markers, which are no JSON objects. */
  #lines(frames: readonly SseFrame[]): Uint8Array | undefined {
    let text = '';
    for (const { event, data } of frames) {
      // A line break can only stand between the tokens of JSON.
      const json = event === 'error' ? withStatus(data) : data.replaceAll('\n', ' ');
      if (json.startsWith('{')) text += `${hasLane(json) ? json : withLane(json, this.#lane)}\n`;
    }
    return text === '' ? undefined : Buffer.from(text);
  }
}

/** A provider's error in a stream over HTTP has no status. */
function withStatus(data: string): string {
  const event = parseObject(data) ?? {};
  if (event.status !== undefined) return data;
  const { status, type, ...error } = decodeOpenaiError(event.error ?? event);
  return JSON.stringify({ status, error: { type, ...error }, ...event });
}
