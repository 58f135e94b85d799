import type { CallRecorder, RecordedContent, SentRequest } from '../../kernel/call-recorder.ts';
import { type ClientRequest, rawHeadersOf } from '../../kernel/client-request.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { Exchange } from '../../kernel/exchange.ts';
import type { ReplyEvent } from '../../kernel/message.ts';
import { type Ending, endingOf } from '../../kernel/reply/ending.ts';
import type { HeaderList } from '../../lib/headers.ts';
import { RequestHeaderFilter } from '../../providers/forwarded-headers.ts';
import type { InFlightCall } from '../in-flight-call.ts';
import { limits } from '../limits.ts';
import { MaskedAnswer } from './masked-answer.ts';
import { readConversation } from './read-conversation.ts';
import type { RecordedCall, RecordedMessage, RecordedSentRequest } from './recorded-call.ts';

/** The call that is recorded. */
export interface RecordingStart {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string | null;
  readonly clientRequest: ClientRequest;
  readonly pipeline: string;
  /** Whether a module of the pipeline redacts: then only what such a module passes on is recorded. */
  readonly isRedacted: boolean;
}

interface OpenRecordingParts extends RecordingStart {
  /** Reserves memory; false if there is none left. */
  reserve(bytes: number): boolean;
  /** Called with a bug of a wire format; the part that it concerns is not recorded. */
  onError(fault: unknown): void;
  onClose(recordedCall: RecordedCall): void;
}

/** Copies a call while it runs, up to a size. Observes the response as it is sent to the client. */
export class OpenRecording implements CallRecorder {
  readonly #parts: OpenRecordingParts;
  #requestBody: Uint8Array;
  #redaction: RecordedCall['redaction'];
  #sent: RecordedSentRequest | null = null;
  #maskedAnswer: MaskedAnswer | undefined;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #storedBytes = 0;
  #status: number | null = null;
  #headers: HeaderList = [];
  readonly #requestHeaders: string[];
  #requestBytes: number;
  #isClosed = false;
  #recordedCall: RecordedCall | undefined;
  #onClosed: ClosedListener | undefined;

  constructor(parts: OpenRecordingParts) {
    this.#parts = parts;
    const { bytes } = parts.clientRequest;
    this.#redaction = parts.isRedacted ? 'withheld' : 'none';
    this.#requestBody = copyOf(bytes);
    this.#requestHeaders = recordedHeaders(parts.clientRequest);
    this.#requestBytes = bytes.byteLength;
  }

  /** The size of what is held of a request. */
  static bytesOf({ bytes }: ClientRequest): number {
    return Math.min(bytes.byteLength, limits.recordedBodyBytesMax) + limits.recordingOverheadBytes;
  }

  onRedacted(exchange: Exchange): void {
    const { clientRequest, onError } = this.#parts;
    if (exchange.isUnmodified) {
      if (this.#redaction === 'withheld') this.#redaction = 'none';
      return;
    }
    try {
      const { body } = clientRequest.wire.encodeRequest(exchange.request, clientRequest);
      this.#requestBody = copyOf(body);
      this.#requestBytes = body.byteLength;
      this.#redaction = 'masked';
    } catch (fault) {
      this.#redaction = 'withheld';
      onError(fault);
    }
  }

  onRestored(): (event: ReplyEvent) => void {
    const maskedAnswer = new MaskedAnswer(this.#parts.clientRequest);
    this.#maskedAnswer = maskedAnswer;
    // The values must not be stored.
    this.#chunks = [];
    return (event) => maskedAnswer.push(event);
  }

  onSent({ body, ...facts }: SentRequest): void {
    const bytes = body.byteLength;
    const isClientBody = body === this.#parts.clientRequest.bytes;
    const stored = isClientBody ? noBytes : body.subarray(0, limits.recordedBodyBytesMax);
    const isHeld = this.#parts.reserve(stored.byteLength);
    const copy = isHeld ? copyOf(stored) : noBytes;
    this.#sent = { ...facts, isClientBody, bytes, storedBytes: copy.byteLength, body: copy };
  }

  onHead(status: number, headers: HeaderList): void {
    this.#status = status;
    this.#headers = headers;
  }

  /** Stops copying at the first piece that does not fit, so that the recording has no gap. */
  onBody(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    const isComplete = this.#bytes === this.#storedBytes;
    this.#bytes += bytes.byteLength;
    if (!isComplete) return;
    const piece = bytes.subarray(0, limits.recordedBodyBytesMax - this.#storedBytes);
    if (piece.byteLength === 0 || !this.#parts.reserve(piece.byteLength)) return;
    if (this.#maskedAnswer === undefined) this.#chunks.push(Buffer.from(piece));
    this.#storedBytes += piece.byteLength;
  }

  /** `call` is undefined if it failed before it had a reply; `failure` says why. */
  close(call: InFlightCall | undefined, failure: unknown): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { keyId, clientRequest, pipeline, onClose } = this.#parts;
    const ending = call?.ending ?? (failure === undefined ? { how: 'aborted' } : endingOf(failure));
    const recordedCall: RecordedCall = {
      keyId,
      model: String(clientRequest.routing.model),
      wire: clientRequest.wire.name,
      streamed: clientRequest.streamed,
      pipeline,
      status: this.#status,
      ending: ending.how,
      errorCode: errorCodeOf(ending),
      path: clientRequest.path + clientRequest.query,
      redaction: this.#redaction,
      request: this.#recordedRequest(),
      response: this.#recordedResponse(),
      sent: this.#sent,
    };
    onClose(recordedCall);
    this.#recordedCall = recordedCall;
    if (this.#onClosed !== undefined) this.#callBack(this.#onClosed, recordedCall);
  }

  onClosed(then: ClosedListener): void {
    if (this.#recordedCall === undefined) this.#onClosed = then;
    else this.#callBack(then, this.#recordedCall);
  }

  #callBack(then: ClosedListener, recordedCall: RecordedCall): void {
    try {
      then((bytesMax) => readContent(recordedCall, bytesMax));
    } catch (fault) {
      this.#parts.onError(fault);
    }
  }

  #recordedRequest(): RecordedMessage {
    const body = this.#redaction === 'withheld' ? noBytes : this.#requestBody;
    return message(this.#requestHeaders, body, this.#requestBytes);
  }

  #recordedResponse(): RecordedMessage {
    const headers = [...this.#headers];
    const isTruncated = this.#storedBytes < this.#bytes;
    const isError = this.#status !== null && this.#status >= 400;
    // An answer from a cache in front of the redaction may have values of other calls.
    if (this.#redaction === 'withheld' && !isError) return message(headers, noBytes, this.#bytes);
    if (this.#maskedAnswer === undefined) return message(headers, Buffer.concat(this.#chunks), this.#bytes);
    const masked = isTruncated ? noBytes : this.#encodeMasked(this.#maskedAnswer);
    return message(headers, masked, masked.byteLength || this.#bytes);
  }

  #encodeMasked(maskedAnswer: MaskedAnswer): Uint8Array {
    try {
      return maskedAnswer.encode();
    } catch (fault) {
      this.#parts.onError(fault);
      return noBytes;
    }
  }
}

type ClosedListener = Parameters<CallRecorder['onClosed']>[0];

function readContent(recordedCall: RecordedCall, bytesMax: number): RecordedContent {
  const { request, response, redaction } = recordedCall;
  if (redaction === 'withheld' || request.bytes + response.bytes > bytesMax)
    return { request: undefined, answer: undefined };
  // What the provider got is left out: a module before the one that redacts may have asked it something.
  const { request: read, answer } = readConversation({ ...recordedCall, sent: null });
  return { request: read, answer };
}

function message(headers: string[], body: Uint8Array, bytes: number): RecordedMessage {
  return { headers, body, bytes, storedBytes: body.byteLength };
}

/** The call frees its bodies when it ends. */
function copyOf(bytes: Uint8Array): Uint8Array {
  return Buffer.from(bytes.subarray(0, limits.recordedBodyBytesMax));
}

const noBytes: Uint8Array = Buffer.alloc(0);

function errorCodeOf(ending: Ending): string | null {
  if (ending.how !== 'failed') return null;
  return GatewayError.is(ending.error) ? ending.error.code : 'internal';
}

const filter = new RequestHeaderFilter();

/** What a provider would get of the client's headers, and those that choose the pipeline and the conversation. */
function recordedHeaders(clientRequest: ClientRequest): string[] {
  const headers = filter.filter(rawHeadersOf(clientRequest));
  for (const name of ['x-weir-pipeline', 'x-weir-conversation', 'traceparent']) {
    const value = clientRequest.header(name);
    if (value !== undefined) headers.push(name, value);
  }
  return headers;
}
