import { BodyMemory } from './body-memory.ts';
import { type HeaderList, joinedHeaderOf, secretHeaders } from './headers.ts';
import { exactBody, type JsonObject } from './json.ts';
import type { LazyJsonObject } from './lazy-json-object.ts';
import { limits } from './limits.ts';
import type { ChatRequest } from './message.ts';
import type { RoutingFields, WireFormat } from './wire-format.ts';

interface ClientRequestFields {
  readonly wire: WireFormat;
  /** Its body. */
  readonly fields: LazyJsonObject;
  readonly headers: HeaderList;
  readonly query: string;
  /** Told of what its body takes in memory while it is parsed; may refuse that. */
  readonly memoryReservation?: ParsedBodyReservation;
  /** Where it was sent; the format's own where that isn't said. */
  readonly path?: string;
}

interface ParsedBodyReservation {
  parsed(values: number): void;
  letGo(): void;
}

let readRawHeaders: (clientRequest: ClientRequest) => HeaderList;

/** What the client sent, as it sent it. */
export class ClientRequest {
  readonly wire: WireFormat;
  /** Its body, of which single fields can be read without parsing the rest. */
  readonly fields: LazyJsonObject;
  /** Where it was sent. */
  readonly path: string;
  /** With its question mark, or empty. */
  readonly query: string;
  /** What it asks for, as its format says it. */
  readonly routing: RoutingFields;
  readonly #headers: HeaderList;
  readonly #memoryReservation: ParsedBodyReservation | undefined;
  #memory: BodyMemory | undefined;
  #body: JsonObject | undefined;
  #wasParsed = false;
  #usageOptInFields: JsonObject | null | undefined;
  #request: ChatRequest | undefined;

  constructor({ wire, fields, headers, query, memoryReservation, path = '' }: ClientRequestFields) {
    this.wire = wire;
    this.fields = fields;
    this.#memoryReservation = memoryReservation;
    this.#headers = headers;
    this.path = path;
    this.query = query;
    this.routing = wire.readRouting(fields, path, query);
  }

  get bytes(): Uint8Array {
    if (this.#memory?.isReleased === true) throw bodyReleasedError();
    return this.fields.bytes;
  }

  /**
   * Its body is there until this is called. Once somebody keeps it, it is gone when everybody has let go: after its call,
   * what was asked for in it, and what modules left for later. Undefined for a small one, which just stays.
   */
  retain(): (() => void) | undefined {
    if (this.fields.bytes.byteLength < limits.eagerlyFreedBodyBytesMin) return undefined;
    this.#memory ??= new BodyMemory(this.fields.bytes);
    return this.#memory.retain();
  }

  /** All of it, parsed when somebody asks, and again where it was let go. Refuses what could be read in two ways. */
  get body(): JsonObject {
    this.#body ??= this.#parse();
    return this.#body;
  }

  #parse(): JsonObject {
    if (this.#memory?.isReleased === true) throw bodyReleasedError();
    if (!this.#wasParsed) this.#memoryReservation?.parsed(this.fields.values);
    this.#wasParsed = true;
    return this.fields.parse();
  }

  /** The fields by which it would ask for its usage; undefined where it does, or where nobody has to. */
  get usageOptInFields(): JsonObject | undefined {
    if (this.#usageOptInFields === undefined)
      this.#usageOptInFields = this.wire.usageOptIn?.optInFields(this.fields) ?? null;
    return this.#usageOptInFields ?? undefined;
  }

  /** A large body takes ten times its bytes when it is parsed. Nobody needs that while a provider works, mostly. */
  releaseParsed(): void {
    if (this.bytes.byteLength < limits.reparsedBodyBytesMin || this.#request !== undefined) return;
    if (this.#body === undefined) return;
    this.#body = undefined;
    this.#memoryReservation?.letGo();
  }

  /** Read when somebody asks: a call that is only passed on is never taken apart. */
  get request(): ChatRequest {
    this.#request ??= this.wire.decodeRequest(exactBody(this.body, this.bytes), this.routing);
    return this.#request;
  }

  get streamed(): boolean {
    return this.routing.stream === true;
  }

  /** What the headers with this lower-case name say, in one line; undefined for those that carry credentials. */
  header(name: string): string | undefined {
    return secretHeaders.has(name) ? undefined : joinedHeaderOf(this.#headers, name);
  }

  static {
    readRawHeaders = (clientRequest) => clientRequest.#headers;
  }
}

/** All headers as they came, credentials included: for who sends a call on. No module can reach it by what it is given. */
export function rawHeadersOf(clientRequest: ClientRequest): HeaderList {
  return readRawHeaders(clientRequest);
}

function bodyReleasedError(): Error {
  return new Error('the request body was released when the call ended');
}
