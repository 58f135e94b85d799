import { hash } from 'node:crypto';
import type { ErrorEvent, ReplyEvent, StreamError, Usage } from '../../kernel/message.ts';
import { AnswerBuilder, mergeUsage } from '../../kernel/reply/answer-events.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { DecodedReply, ReplySummary } from '../json-reply-decoder.ts';
import { objectOf, objectsOf, stringOf } from '../json-values.ts';
import { startedAnswer } from '../started-answer.ts';
import { errorOf } from './errors.ts';
import { PartReader } from './part-reader.ts';
import { failureOf, refusalStopFields, type StopFields, stopFieldsOf } from './stop-reason.ts';
import { searchesIn, usageOf } from './usage.ts';

/** Turns a response, complete or in pieces of the same shape, into events. */
export class ResponseReader {
  readonly #emit: (event: ReplyEvent) => void;
  readonly #parts: PartReader;
  /** The finish reason, once reported. */
  #finish: { readonly reason: string; readonly message: string | undefined } | undefined;
  #promptBlock: StopFields | undefined;
  #started = false;
  #closed = false;
  #usage: Usage = {};

  constructor(emit: (event: ReplyEvent) => void) {
    this.#emit = emit;
    this.#parts = new PartReader(emit);
  }

  get hasContent(): boolean {
    return this.#parts.hasContent;
  }

  /** Whether the finish reason has arrived. */
  get finished(): boolean {
    return this.#closed || this.#finish !== undefined || this.#promptBlock !== undefined;
  }

  read(piece: JsonObject): void {
    if (this.#closed) return;
    this.readUsage(piece);
    if (piece.error != null) {
      this.#fail(errorOf(piece.error));
      return;
    }
    this.#start(piece);
    const candidate = candidateOf(piece);
    const blocked = promptBlockOf(piece);
    if (blocked !== undefined) this.#promptBlock = blocked;
    if (candidate === undefined) return;
    for (const part of objectsOf(objectOf(candidate.content)?.parts)) {
      if (this.#parts.readPart(part)) continue;
      this.#fail(mismatchedArguments);
      return;
    }
    for (const kind of metadataFields)
      if (objectOf(candidate[kind]) !== undefined) this.#parts.addForeign(kind, { [kind]: candidate[kind] });
    const reason = stringOf(candidate.finishReason);
    if (reason !== undefined && reason !== finishReasonUnspecified)
      this.#finish = { reason, message: stringOf(candidate.finishMessage) };
  }

  readUsage(piece: JsonObject): void {
    const usageMetadata = objectOf(piece.usageMetadata);
    if (usageMetadata !== undefined) this.#usage = mergeUsage(this.#usage, usageOf(usageMetadata));
    const candidate = candidateOf(piece);
    if (candidate?.groundingMetadata != null)
      this.#usage = mergeUsage(this.#usage, searchesIn(candidate, modelVersionOf(piece)));
  }

  /** An interrupted reply costs what was reported so far. */
  emitUsage(): void {
    if (this.hasContent && Object.keys(this.#usage).length > 0)
      this.#emit({ type: 'message_delta', delta: {}, usage: this.#usage });
  }

  /** Closes only at the end of the bytes: more may follow the finish reason. */
  close(): void {
    if (this.#closed || !this.#started) return;
    const { reason = 'STOP', message } = this.#finish ?? {};
    const failure =
      this.hasContent || this.#promptBlock !== undefined ? undefined : failureOf(reason, message);
    if (failure !== undefined) {
      this.#fail(failure);
      return;
    }
    this.#closed = true;
    this.#parts.close(reason !== 'STOP');
    const delta = this.#promptBlock ?? stopFieldsOf(reason, { tools: this.#parts.hasToolCalls, message });
    this.#emit({ type: 'message_delta', delta, usage: this.#usage });
    this.#emit({ type: 'message_stop' });
  }

  #start(piece: JsonObject): void {
    if (this.#started) return;
    this.#started = true;
    const id = stringOf(piece.responseId) || deriveResponseId(piece);
    const model = modelVersionOf(piece);
    this.#parts.answerId = id;
    this.#parts.model = model;
    const message = startedAnswer(id, model);
    this.#emit({ type: 'message_start', message });
  }

  #fail(error: StreamError): void {
    this.#closed = true;
    this.emitUsage();
    // A separate usage event would look like the start of the reply.
    const isUnreported = !this.hasContent && Object.keys(this.#usage).length > 0;
    this.#emit({ type: 'error', error, ...(isUnreported && { usage: this.#usage }) });
  }
}

const mismatchedArguments: StreamError = {
  type: 'INTERNAL',
  message: 'the provider streamed inconsistent function call arguments',
  status: 502,
};

/** The model that answered: some versions are resource names. */
function modelVersionOf({ modelVersion }: JsonObject): string {
  const name = stringOf(modelVersion) ?? '';
  return name.slice(name.lastIndexOf('/') + 1);
}

/** Older API versions send no response id, which clients of other formats need. */
function deriveResponseId(piece: JsonObject): string {
  return `gemini_${hash('sha256', JSON.stringify(piece)).slice(0, 24)}`;
}

const finishReasonUnspecified = 'FINISH_REASON_UNSPECIFIED';

/** Metadata of a reply outside of its content, mostly sources. */
const metadataFields = ['groundingMetadata', 'urlContextMetadata'];

/** The first candidate: other formats can't request more. */
function candidateOf(piece: JsonObject): JsonObject | undefined {
  return objectsOf(piece.candidates).find(({ index }) => (index ?? 0) === 0);
}

function promptBlockOf(piece: JsonObject): StopFields | undefined {
  const feedback = objectOf(piece.promptFeedback);
  const reason = stringOf(feedback?.blockReason);
  return reason === undefined ? undefined : refusalStopFields(reason, stringOf(feedback?.blockReasonMessage));
}

export function readResponse(body: JsonObject): DecodedReply {
  if (!isResponse(body)) return undefined;
  const answerBuilder = new AnswerBuilder();
  let failure: ErrorEvent | undefined;
  const reader = new ResponseReader((event) => {
    if (event.type === 'error') failure = event;
    answerBuilder.push(event);
  });
  reader.read(body);
  reader.close();
  if (failure !== undefined) return { error: failure.error, usage: failure.usage ?? {} };
  const answer = answerBuilder.answer();
  return answer === undefined ? undefined : { answer };
}

function isResponse({ candidates, promptFeedback, error }: JsonObject): boolean {
  return Array.isArray(candidates) || objectOf(promptFeedback) !== undefined || error != null;
}

/** The reply's metadata without its content; undefined without content, which may be a failure. */
export function summarizeResponse(body: JsonObject): ReplySummary | undefined {
  const candidate = body.error == null ? candidateOf(body) : undefined;
  const parts = objectsOf(objectOf(candidate?.content)?.parts);
  const usage = usageOf(objectOf(body.usageMetadata) ?? {});
  if (candidate === undefined || parts.length === 0 || usage.output_tokens === undefined) return undefined;
  const toolNames = parts.flatMap((part) => stringOf(objectOf(part.functionCall)?.name) ?? []);
  const { stop_reason } = stopFieldsOf(stringOf(candidate.finishReason) ?? 'STOP', {
    tools: toolNames.length > 0,
    message: undefined,
  });
  const model = modelVersionOf(body);
  return { model, stop_reason, usage: { ...usage, ...searchesIn(candidate, model) }, toolNames };
}
