import type { Answer, ChatRequest, ReplyEvent } from '../../kernel/message.ts';
import { AnswerBuilder } from '../../kernel/reply/answer-events.ts';
import type { Framing } from '../../kernel/wire-format.ts';
import { isJsonObject } from '../../lib/json.ts';
import { wireByName } from '../../wire/index.ts';
import type { RecordedCall, RecordedMessage } from './recorded-call.ts';

/** A recorded call in the canonical shape, whatever its format. Undefined for what is not recorded or can't be decoded. */
export interface RecordedConversation {
  readonly request: ChatRequest | undefined;
  /** What the provider got; undefined also if it got what the client sent, or in a format that only providers read. */
  readonly sent: ChatRequest | undefined;
  readonly answer: Answer | undefined;
  /** Why there is no answer, or why it is incomplete. */
  readonly error: string | undefined;
}

export function readConversation(recordedCall: RecordedCall): RecordedConversation {
  const { wire, model, streamed, request, response, sent } = recordedCall;
  const { answer, error } = readAnswer(recordedCall);
  return {
    request: readRequest(wire, request, { model, stream: streamed }),
    sent:
      sent === null || sent.isClientBody
        ? undefined
        : readRequest(sent.wire, sent, { model: sent.model, stream: streamed }),
    answer,
    error:
      error ?? (isTruncated(response) ? 'the recording has only the beginning of the answer' : undefined),
  };
}

interface StoredBody {
  readonly body: Uint8Array;
  readonly bytes: number;
  readonly storedBytes: number;
}

function isTruncated({ bytes, storedBytes }: StoredBody): boolean {
  return storedBytes < bytes;
}

function readRequest(
  wire: string,
  stored: StoredBody,
  routing: { readonly model: unknown; readonly stream: unknown },
): ChatRequest | undefined {
  if (isTruncated(stored)) return undefined;
  try {
    const body: unknown = JSON.parse(textOf(stored));
    return isJsonObject(body) ? wireByName(wire)?.decodeRequest(body, routing) : undefined;
  } catch {
    return undefined;
  }
}

type ReadAnswer = Pick<RecordedConversation, 'answer' | 'error'>;

function readAnswer({ wire, status, response }: RecordedCall): ReadAnswer {
  const format = wireByName(wire);
  if (format === undefined || status === null || response.storedBytes === 0)
    return { answer: undefined, error: undefined };
  if (status >= 400) return { answer: undefined, error: errorMessageIn(textOf(response)) };
  const builder = new AnswerBuilder();
  let error: string | undefined;
  const take = (events: readonly ReplyEvent[]) => {
    for (const event of events) {
      if (event.type === 'error') error = event.error.message;
      builder.push(event);
    }
  };
  try {
    const { framing, body } = framedAnswer(response);
    const decoder = format.replyDecoder(framing, 'everything');
    take(decoder.push(body));
    take(decoder.end());
  } catch {
    // Half of a document, or a stream that was cut off: what was decoded before stays.
  }
  return { answer: builder.answer(), error };
}

/** By its text: a masked answer is one document, whatever its headers say, and a list has the frames of a stream. */
function framedAnswer({ body }: RecordedMessage): { readonly framing: Framing; readonly body: Uint8Array } {
  const text = textOf({ body }).trimStart();
  if (text.startsWith('{')) return { framing: 'json', body };
  if (!text.startsWith('[')) return { framing: 'sse', body };
  const frames: readonly unknown[] = JSON.parse(text);
  return {
    framing: 'sse',
    body: Buffer.from(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')),
  };
}

function errorMessageIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    const error = isJsonObject(body) ? body.error : undefined;
    if (isJsonObject(error) && typeof error.message === 'string') return error.message;
  } catch {
    // Not JSON: the text itself says what happened.
  }
  return text.slice(0, 500);
}

function textOf({ body }: Pick<StoredBody, 'body'>): string {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
}

/** All texts of a conversation, in order. */
export function* textsOf({ request, answer, error }: RecordedConversation): Generator<string> {
  yield* stringsIn(request?.system);
  for (const { content } of request?.messages ?? []) yield* stringsIn(content);
  yield* stringsIn(answer?.content);
  if (error !== undefined) yield error;
}

/** Everything that a person could read: not names of types, and not data of images. */
function* stringsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const item of value) yield* stringsIn(item);
  else if (isJsonObject(value))
    for (const [name, item] of Object.entries(value)) if (!hidden.has(name)) yield* stringsIn(item);
}

const hidden: ReadonlySet<string> = new Set([
  'type',
  'signature',
  'data',
  'cache_control',
  'id',
  'tool_use_id',
]);
