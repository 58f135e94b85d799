import { BodyMemory } from '../lib/body-memory.ts';
import { type HeaderList, joinedHeaderOf, secretHeaders } from '../lib/headers.ts';
import type { JsonObject } from '../lib/json.ts';
import type { LazyJsonObject } from './json/lazy-json-object.ts';
import { limits } from './limits.ts';
import type { ChatRequest } from './message.ts';
import type { PromptVersion } from './prompt.ts';
import type { RelayRequest } from './relay.ts';
import type { SocketCall } from './socket-format.ts';
import { parseTraceParent, type TraceParent } from './trace-parent.ts';
import type { RoutingFields, WireFormat } from './wire-format.ts';

interface ClientRequestFields {
  readonly wire: WireFormat;
  readonly fields: LazyJsonObject;
  readonly headers: HeaderList;
  readonly query: string;
  /** Reserves the memory for the parsed body; may reject. */
  readonly memoryReservation?: ParsedBodyReservation;
  /** The request path; the format's default if undefined. */
  readonly path?: string;
  /** For a call to an endpoint without a canonical form. */
  readonly relay?: RelayRequest;
  /** For a call over a WebSocket. */
  readonly socket?: SocketCall | undefined;
  /** The stored prompt that the body begins with. */
  readonly prompt?: PromptVersion;
}

interface ParsedBodyReservation {
  /** Reserves memory for this many further bytes; may reject. */
  add(bytes: number): void;
  parsed(values: number): void;
  letGo(): void;
}

let readRawHeaders: (clientRequest: ClientRequest) => HeaderList;
let setEndUser: (clientRequest: ClientRequest, name: string | undefined) => void;

/** The client's request, unchanged but for a stored prompt that it names. */
export class ClientRequest {
  readonly wire: WireFormat;
  /** The body, whose fields can be read without parsing the rest. */
  readonly fields: LazyJsonObject;
  /** The request path. */
  readonly path: string;
  /** With its question mark, or empty. */
  readonly query: string;
  /** The model and framing that the request asks for. */
  readonly routing: RoutingFields;
  /** Set for a call to an endpoint without a canonical form, which has no `request`. */
  readonly relay: RelayRequest | undefined;
  /** Set for a call over a WebSocket. */
  readonly socket: SocketCall | undefined;
  /** The stored prompt that the gateway has put into the body; undefined if the body is the client's own. */
  readonly prompt: PromptVersion | undefined;
  readonly #headers: HeaderList;
  readonly #memoryReservation: ParsedBodyReservation | undefined;
  #memory: BodyMemory | undefined;
  #body: JsonObject | undefined;
  #exactBody: JsonObject | undefined;
  #wasParsed = false;
  #usageOptInFields: JsonObject | null | undefined;
  #request: ChatRequest | undefined;
  #traceParent: TraceParent | null | undefined;
  #fixedEndUser: string | undefined;

  constructor({
    wire,
    fields,
    headers,
    query,
    memoryReservation,
    path = '',
    relay,
    socket,
    prompt,
  }: ClientRequestFields) {
    this.wire = wire;
    this.fields = fields;
    this.#memoryReservation = memoryReservation;
    this.#headers = headers;
    this.path = path;
    this.query = query;
    this.relay = relay;
    this.socket = socket;
    this.prompt = prompt;
    this.routing =
      relay === undefined
        ? wire.readRouting(fields, path, query)
        : { model: relay.model, stream: fields.get('stream') === true };
  }

  /** The end user of all calls with the caller's key, whatever they say; undefined if there is none. */
  get fixedEndUser(): string | undefined {
    return this.#fixedEndUser;
  }

  /** The same request with a stored prompt in its body. */
  withPrompt(prompt: PromptVersion, fields: LazyJsonObject, path: string): ClientRequest {
    const { wire, query, socket } = this;
    this.#memoryReservation?.add(fields.bytes.byteLength);
    const prompted = new ClientRequest({
      ...{ wire, fields, path, query, prompt },
      headers: this.#headers,
      ...(this.#memoryReservation !== undefined && { memoryReservation: this.#memoryReservation }),
      socket: socket && { ...socket, isRewritten: true },
    });
    prompted.#fixedEndUser = this.#fixedEndUser;
    return prompted;
  }

  get bytes(): Uint8Array {
    if (this.#memory?.isReleased === true) throw bodyReleasedError();
    return this.fields.bytes;
  }

  /**
   * Retains the body until the returned function is called. A retained body is freed when all holders have released
   * it: the call, its attempts and background tasks. Undefined for a small body, which is never freed early.
   */
  retain(): (() => void) | undefined {
    if (this.fields.bytes.byteLength < limits.eagerlyFreedBodyBytesMin) return undefined;
    this.#memory ??= new BodyMemory(this.fields.bytes);
    return this.#memory.retain();
  }

  /** The whole body, parsed on first use and again if it was released. Rejects ambiguous JSON. */
  get body(): JsonObject {
    this.#body ??= this.#parse();
    return this.#body;
  }

  /** Reserves memory for what is read or made for the call; may reject. It is released at the end of the call. */
  reserveMemory(bytes: number): void {
    this.#memoryReservation?.add(bytes);
  }

  #parse(): JsonObject {
    if (this.#memory?.isReleased === true) throw bodyReleasedError();
    if (!this.#wasParsed) this.#memoryReservation?.parsed(this.fields.values);
    this.#wasParsed = true;
    return this.fields.parse();
  }

  /** The same with all digits of long integers; the same object if there are none. */
  get exactBody(): JsonObject {
    this.#exactBody ??= this.fields.exactOf(this.body);
    return this.#exactBody;
  }

  /** The fields that would make the request ask for usage; undefined if it does, or needn't. */
  get usageOptInFields(): JsonObject | undefined {
    if (this.#usageOptInFields === undefined)
      this.#usageOptInFields = this.wire.usageOptIn?.optInFields(this.fields) ?? null;
    return this.#usageOptInFields ?? undefined;
  }

  /** Drops a large parsed body, which takes ten times its bytes. It is rarely needed while a provider works. */
  releaseParsed(): void {
    if (this.bytes.byteLength < limits.reparsedBodyBytesMin || this.#request !== undefined) return;
    if (this.#body === undefined) return;
    this.#body = undefined;
    this.#exactBody = undefined;
    this.#memoryReservation?.letGo();
  }

  /** Decoded on first use: a call that is passed through is never decoded. */
  get request(): ChatRequest {
    this.#request ??= this.wire.decodeRequest(this.exactBody, this.routing);
    return this.#request;
  }

  get streamed(): boolean {
    return this.routing.stream === true;
  }

  /** The combined value of the headers with this lower-case name; undefined for those that carry credentials. */
  header(name: string): string | undefined {
    return secretHeaders.has(name) ? undefined : joinedHeaderOf(this.#headers, name);
  }

  /** The client's place in a distributed trace; undefined if it sent none, or an invalid one. */
  get traceParent(): TraceParent | undefined {
    if (this.#traceParent === undefined) {
      const traceparent = joinedHeaderOf(this.#headers, 'traceparent');
      this.#traceParent =
        traceparent === undefined
          ? null
          : (parseTraceParent(traceparent, joinedHeaderOf(this.#headers, 'tracestate')) ?? null);
    }
    return this.#traceParent ?? undefined;
  }

  static {
    readRawHeaders = (clientRequest) => clientRequest.#headers;
    setEndUser = (clientRequest, name) => {
      clientRequest.#fixedEndUser = name;
    };
  }
}

/** All headers including credentials, for sending a call on. Modules have no access to this function. */
export function rawHeadersOf(clientRequest: ClientRequest): HeaderList {
  return readRawHeaders(clientRequest);
}

/** Makes this the end user of the call; modules have no access to this function. */
export function fixEndUser(clientRequest: ClientRequest, name: string | undefined): void {
  setEndUser(clientRequest, name);
}

function bodyReleasedError(): Error {
  return new Error('the request body was released when the call ended');
}
