import { BodyMemory } from './body-memory.ts';
import { type HeaderList, secretHeaders, wholeHeaderOf } from './headers.ts';
import { exactBody, type JsonObject } from './json.ts';
import { limits } from './limits.ts';
import type { ChatRequest } from './message.ts';
import type { Outline } from './outline.ts';
import type { AskedFor, WireFormat } from './wire-format.ts';

interface ReceivedFields {
  readonly wire: WireFormat;
  /** Its body. */
  readonly fields: Outline;
  readonly headers: HeaderList;
  readonly query: string;
  /** Told of what its body takes in memory while it is parsed; may refuse that. */
  readonly load?: ParsedLoad;
  /** Where it was sent; the format's own where that isn't said. */
  readonly path?: string;
}

interface ParsedLoad {
  parsed(values: number): void;
  letGo(): void;
}

let headersIn: (received: Received) => HeaderList;

/** What the client sent, as it sent it. */
export class Received {
  readonly wire: WireFormat;
  /** Its body, of which single fields can be read without parsing the rest. */
  readonly fields: Outline;
  /** Where it was sent. */
  readonly path: string;
  /** With its question mark, or empty. */
  readonly query: string;
  /** What it asks for, as its format says it. */
  readonly asked: AskedFor;
  readonly #headers: HeaderList;
  readonly #load: ParsedLoad | undefined;
  #memory: BodyMemory | undefined;
  #body: JsonObject | undefined;
  #wasParsed = false;
  #usageQuestion: JsonObject | null | undefined;
  #request: ChatRequest | undefined;

  constructor({ wire, fields, headers, query, load, path = '' }: ReceivedFields) {
    this.wire = wire;
    this.fields = fields;
    this.#load = load;
    this.#headers = headers;
    this.path = path;
    this.query = query;
    this.asked = wire.asked(fields, path, query);
  }

  get bytes(): Uint8Array {
    if (this.#memory?.isGone === true) throw gone();
    return this.fields.bytes;
  }

  /**
   * Its body is there until this is called. Once somebody keeps it, it is gone when everybody has let go: after its call,
   * what was asked for in it, and what modules left for later. Undefined for a small one, which just stays.
   */
  keep(): (() => void) | undefined {
    if (this.fields.bytes.byteLength < limits.keptBodyBytesMin) return undefined;
    this.#memory ??= new BodyMemory(this.fields.bytes);
    return this.#memory.keep();
  }

  /** All of it, parsed when somebody asks, and again where it was let go. Refuses what could be read in two ways. */
  get body(): JsonObject {
    this.#body ??= this.#parsed();
    return this.#body;
  }

  #parsed(): JsonObject {
    if (this.#memory?.isGone === true) throw gone();
    if (!this.#wasParsed) this.#load?.parsed(this.fields.values);
    this.#wasParsed = true;
    return this.fields.parsed();
  }

  /** The fields by which it would ask for its usage; undefined where it does, or where nobody has to. */
  get usageQuestion(): JsonObject | undefined {
    if (this.#usageQuestion === undefined)
      this.#usageQuestion = this.wire.usageQuestion?.asking(this.fields) ?? null;
    return this.#usageQuestion ?? undefined;
  }

  /** A large body takes ten times its bytes when it is parsed. Nobody needs that while a provider works, mostly. */
  letGo(): void {
    if (this.bytes.byteLength < limits.letGoBytesMin || this.#request !== undefined) return;
    if (this.#body === undefined) return;
    this.#body = undefined;
    this.#load?.letGo();
  }

  /** Read when somebody asks: a call that is only passed on is never taken apart. */
  get request(): ChatRequest {
    this.#request ??= this.wire.decodeRequest(exactBody(this.body, this.bytes), this.asked);
    return this.#request;
  }

  get streamed(): boolean {
    return this.asked.stream === true;
  }

  /** What the headers with this lower-case name say, in one line; undefined for those that carry credentials. */
  header(name: string): string | undefined {
    return secretHeaders.has(name) ? undefined : wholeHeaderOf(this.#headers, name);
  }

  static {
    headersIn = (received) => received.#headers;
  }
}

/** All headers as they came, credentials included: for who sends a call on. No module can reach it by what it is given. */
export function rawHeadersOf(received: Received): HeaderList {
  return headersIn(received);
}

function gone(): Error {
  return new Error('the body of a call can be read until the call is over');
}
