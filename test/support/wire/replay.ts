import assert from 'node:assert/strict';
import { ClientRequest } from '../../../src/kernel/client-request.ts';
import { LazyJsonObject } from '../../../src/kernel/json/lazy-json-object.ts';
import type { Answer, ReplyEvent, StreamError } from '../../../src/kernel/message.ts';
import { AnswerBuilder } from '../../../src/kernel/reply/answer-events.ts';
import type {
  Framing,
  Interest,
  ProviderFormat,
  ReplyEncoder,
  WireFormat,
} from '../../../src/kernel/wire-format.ts';
import type { JsonObject } from '../../../src/lib/json.ts';

export interface ReplayResult {
  readonly events: readonly ReplyEvent[];
  readonly answer: Answer | undefined;
  readonly error: StreamError | undefined;
  readonly finished: boolean;
}

interface RecordedReply {
  readonly wire: ProviderFormat;
  readonly framing: Framing;
  readonly bytes: Uint8Array;
  readonly interest?: Interest;
}

/** Decodes a reply cut at these positions. */
export function replay(
  { wire, framing, bytes, interest = 'everything' }: RecordedReply,
  cuts: readonly number[] = [],
): ReplayResult {
  const decoder = wire.replyDecoder(framing, interest);
  const answerBuilder = new AnswerBuilder();
  const events: ReplyEvent[] = [];
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    events.push(...decoder.push(bytes.subarray(from, cut)));
    from = cut;
  }
  events.push(...decoder.end());
  for (const event of events) answerBuilder.push(event);
  const error = events.find((event) => event.type === 'error');
  return { events, answer: answerBuilder.answer(), error: error?.error, finished: decoder.finished };
}

/** Decodes a reply whole, cut in two at every byte, and byte by byte: the result must always be the same. */
export function replayEverywhere(recordedReply: RecordedReply): ReplayResult {
  const whole = replay(recordedReply);
  const everyByte = Array.from(recordedReply.bytes, (_, at) => at);
  for (const cuts of [everyByte, ...everyByte.map((at) => [at])]) {
    const { answer, error, finished } = replay(recordedReply, cuts);
    assert.deepEqual(
      { answer, error, finished },
      { answer: whole.answer, error: whole.error, finished: whole.finished },
    );
  }
  return whole;
}

export function clientRequestFrom(wire: WireFormat, body: JsonObject | string): ClientRequest {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new ClientRequest({ wire, fields: LazyJsonObject.of(Buffer.from(text)), headers: [], query: '' });
}

export function encodeEvents(encoder: ReplyEncoder, events: Iterable<ReplyEvent>): string {
  const chunks: Uint8Array[] = [];
  for (const event of events) chunks.push(encoder.push(event) ?? new Uint8Array(0));
  chunks.push(encoder.end() ?? new Uint8Array(0));
  return Buffer.concat(chunks).toString('utf8');
}

/** A stream of unnamed events, as OpenAI writes it. */
export function dataFrames(...frames: readonly (JsonObject | string)[]): Uint8Array {
  const lines = frames.map(
    (frame) => `data: ${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n\n`,
  );
  return Buffer.from(lines.join(''));
}

/** A stream of events named by their type. */
export function namedFrames(...frames: readonly JsonObject[]): Uint8Array {
  return Buffer.from(
    frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`).join(''),
  );
}
