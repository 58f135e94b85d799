import type { WebSocketConnection } from '../../http/websocket.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { SocketError } from '../../kernel/socket-format.ts';
import type { WireFormat } from '../../kernel/wire-format.ts';
import type { HeaderList } from '../../lib/headers.ts';
import { type JsonObject, jsonObjectIn } from '../../lib/json.ts';
import { CallInMemory } from '../call-in-memory.ts';
import { limits } from '../limits.ts';
import { errorEnvelope, type RequestContext } from '../respond.ts';

interface SocketResponseParts {
  readonly webSocket: WebSocketConnection;
  readonly context: RequestContext;
  readonly wire: WireFormat;
  readonly headers: HeaderList;
  readonly body: Buffer;
  /** Called with the headers of the response, before its first message. */
  onHead(headers: HeaderList): void;
  /** Called with each message of the answer before it is sent. */
  onMessage(message: Buffer): void;
  encodeError(error: SocketError): string;
}

/** A call whose response is sent as messages of a WebSocket. */
export class SocketResponse extends CallInMemory {
  readonly #parts: SocketResponseParts;
  #status = 200;
  #headers: HeaderList = [];
  /** The body of an error. */
  readonly #errorBody: (Uint8Array | string)[] = [];
  #isStream = false;
  #unsentBytes = 0;

  constructor(parts: SocketResponseParts) {
    super(parts.context.path, parts.headers, parts.body);
    this.#parts = parts;
  }

  get needsDrain(): boolean {
    return this.#unsentBytes > limits.webSocket.unsentBytesMax;
  }

  onHead(status: number, headers: HeaderList): void {
    this.#status = status;
    this.#headers = headers;
    this.#isStream = status < 300;
    this.#parts.onHead(headers);
  }

  send(...pieces: readonly (Uint8Array | string)[]): void {
    if (this.#isStream) for (const piece of pieces) this.#sendLines(piece);
    else this.#errorBody.push(...pieces);
  }

  end(_keepsAlive: boolean, ...pieces: readonly (Uint8Array | string)[]): void {
    this.send(...pieces);
    if (!this.#isStream)
      this.#sendError({ status: this.#status, headers: this.#headers, body: parseError(this.#errorBody) });
  }

  /** The response breaks off: other calls of the WebSocket go on. */
  destroy(): void {
    const { context, wire } = this.#parts;
    const error = new GatewayError('upstream_broken', 'the answer broke off');
    this.#sendError({ status: error.status, headers: [], body: errorEnvelope(error, context.id, wire) });
    this.response.abort();
  }

  /** Each line is a message; pieces end with a line. */
  #sendLines(piece: Uint8Array | string): void {
    const bytes = Buffer.from(piece);
    for (let start = 0; start < bytes.byteLength; ) {
      const end = bytes.indexOf('\n', start);
      const message = bytes.subarray(start, end < 0 ? undefined : end);
      this.#parts.onMessage(message);
      this.#sendMessage(message);
      start += message.byteLength + 1;
    }
  }

  #sendError(error: SocketError): void {
    this.#sendMessage(Buffer.from(this.#parts.encodeError(error)));
  }

  #sendMessage(message: Buffer): void {
    this.#unsentBytes += message.byteLength;
    void this.#parts.webSocket.sendText(message).then(() => {
      this.#unsentBytes -= message.byteLength;
      if (!this.needsDrain) this.response.onDrain();
    });
  }
}

function parseError(pieces: readonly (Uint8Array | string)[]): JsonObject {
  const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
  const message = () => bytes.toString().slice(0, 1000);
  // A proxy's page is no JSON.
  return (
    jsonObjectIn(bytes) ?? { error: { type: 'server_error', code: null, message: message(), param: null } }
  );
}
