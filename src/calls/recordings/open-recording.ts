import { type ClientRequest, rawHeadersOf } from '../../kernel/client-request.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { type Ending, endingOf } from '../../kernel/reply/ending.ts';
import type { HeaderList } from '../../lib/headers.ts';
import { RequestHeaderFilter } from '../../providers/forwarded-headers.ts';
import type { InFlightCall } from '../in-flight-call.ts';
import { limits } from '../limits.ts';
import type { RecordedCall, RecordedMessage } from './recorded-call.ts';

/** The call that is recorded. */
export interface RecordingStart {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string | null;
  readonly clientRequest: ClientRequest;
  readonly pipeline: string;
}

interface OpenRecordingParts extends RecordingStart {
  /** Reserves memory; false if there is none left. */
  reserve(bytes: number): boolean;
  onClose(recordedCall: RecordedCall): void;
}

/** Copies a call while it runs, up to a size. Observes the response as it is sent to the client. */
export class OpenRecording {
  readonly #parts: OpenRecordingParts;
  readonly #request: RecordedMessage;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  #storedBytes = 0;
  #status: number | null = null;
  #headers: HeaderList = [];
  #isClosed = false;

  constructor(parts: OpenRecordingParts) {
    this.#parts = parts;
    const { bytes } = parts.clientRequest;
    // A copy, since the call frees its body when it ends.
    const body = Buffer.from(bytes.subarray(0, limits.recordedBodyBytesMax));
    this.#request = {
      headers: recordedHeaders(parts.clientRequest),
      bytes: bytes.byteLength,
      storedBytes: body.byteLength,
      body,
    };
  }

  /** The size of what is held of a request. */
  static bytesOf({ bytes }: ClientRequest): number {
    return Math.min(bytes.byteLength, limits.recordedBodyBytesMax) + limits.recordingOverheadBytes;
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
    this.#chunks.push(Buffer.from(piece));
    this.#storedBytes += piece.byteLength;
  }

  /** `call` is undefined if it failed before it had a reply; `failure` says why. */
  close(call: InFlightCall | undefined, failure: unknown): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { keyId, clientRequest, pipeline, onClose } = this.#parts;
    const ending = call?.ending ?? (failure === undefined ? { how: 'aborted' } : endingOf(failure));
    onClose({
      keyId,
      model: String(clientRequest.routing.model),
      wire: clientRequest.wire.name,
      streamed: clientRequest.streamed,
      pipeline,
      status: this.#status,
      ending: ending.how,
      errorCode: errorCodeOf(ending),
      path: clientRequest.path + clientRequest.query,
      request: this.#request,
      response: {
        headers: [...this.#headers],
        bytes: this.#bytes,
        storedBytes: this.#storedBytes,
        body: Buffer.concat(this.#chunks),
      },
    });
  }
}

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
