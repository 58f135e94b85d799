import type { Asker } from './attempt.ts';
import { BodyMemory } from './body-memory.ts';
import { Conversation, originOf } from './conversation/conversation.ts';
import type { Prefix } from './conversation/prefix.ts';
import { type HeaderList, headerOf, secretHeaders } from './headers.ts';
import { exactBody, type JsonObject } from './json.ts';
import { limits } from './limits.ts';
import type { ChatRequest } from './message.ts';
import type { Outline } from './outline.ts';
import type { Presence } from './presence.ts';
import type { Target } from './provider.ts';
import type { Secret } from './secret.ts';
import type { Trace } from './trace.ts';
import type { AskedFor, WireFormat } from './wire-format.ts';

export type Caller =
  | { readonly kind: 'local' }
  | { readonly kind: 'account'; readonly accountId: string; readonly keyId: string }
  /** By the name that its receipts have: the id of a session can claim them. */
  | { readonly kind: 'sandbox'; readonly sessionRef: string }
  | { readonly kind: 'payer'; readonly challengeId: string };

/** Whether the operator pays for the calls, so that nothing of the operator's account may show in them. */
export function operatorPays({ kind }: Caller): boolean {
  return kind === 'sandbox' || kind === 'payer';
}

/** A name for the tenant behind a call; nothing kept under one scope is seen under another. */
export function scopeOf(caller: Caller): string {
  switch (caller.kind) {
    case 'local':
      return 'local';
    case 'account':
      return `account:${caller.accountId}`;
    case 'sandbox':
      return `sandbox:${caller.sessionRef}`;
    case 'payer':
      return `payer:${caller.challengeId}`;
  }
}

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

  /** The value of the first header with this lower-case name; undefined for those that carry credentials. */
  header(name: string): string | undefined {
    return secretHeaders.has(name) ? undefined : headerOf(this.#headers, name);
  }

  static {
    headersIn = (received) => received.#headers;
  }
}

/** All headers as they came, credentials included: for who sends a call on. No module can reach it by what it is given. */
export function rawHeadersOf(received: Received): HeaderList {
  return headersIn(received);
}

/** Finds with which credential a provider is paid for a call; refuses where there is none and one is needed. */
export interface CredentialFinder {
  /** At once where it is known. `stored` where the call is over and what came with it may not be used any more. */
  find(target: Target, which?: 'stored'): Secret | undefined | Promise<Secret | undefined>;
}

interface ExchangeFields {
  readonly id: string;
  readonly received: Received;
  readonly caller: Caller;
  readonly target: Target;
  readonly presence: Presence;
  readonly trace: Trace;
  readonly credentials: CredentialFinder;
}

/** Who asked for an exchange to go on: the modules that it has come through. */
interface Asking {
  readonly within: Asker | undefined;
  /** The module that asked once more, or for itself. */
  readonly askedBy: string | undefined;
  /** Whether that is a question of its own. */
  readonly isAside: boolean;
  /** What its provider keeps of its conversation; undefined where no module may change that. */
  readonly prefix?: Prefix | undefined;
}

let inside: {
  credentials(exchange: Exchange): CredentialFinder;
  asking(exchange: Exchange): Asking;
  askedFor(exchange: Exchange, asking: Asking): Exchange;
  aside(exchange: Exchange, question: Question): Exchange;
};

/** One call on its way through the pipeline. A module that changes it passes on another one. */
export class Exchange {
  readonly id: string;
  readonly received: Received;
  readonly caller: Caller;
  readonly target: Target;
  readonly presence: Presence;
  readonly trace: Trace;
  readonly #credentials: CredentialFinder;
  readonly #request: ChatRequest | undefined;
  readonly #asking: Asking;
  #conversation: Conversation | undefined;

  constructor(fields: ExchangeFields, request?: ChatRequest, asking = byTheClient) {
    this.id = fields.id;
    this.received = fields.received;
    this.caller = fields.caller;
    this.target = fields.target;
    this.presence = fields.presence;
    this.trace = fields.trace;
    this.#credentials = fields.credentials;
    this.#request = request;
    this.#asking = asking;
  }

  /** Aborted when the client leaves. */
  get signal(): AbortSignal {
    return this.presence.signal;
  }

  get request(): ChatRequest {
    return this.#request ?? this.received.request;
  }

  /** Whether the request is still the client's own. */
  get untouched(): boolean {
    return this.#request === undefined || this.#request === this.received.request;
  }

  /** Which conversation it belongs to, as far as this request tells it; worked out when somebody asks. */
  get conversation(): Conversation {
    this.#conversation ??= new Conversation(
      this.trace.inConversation(() => originOf(this)),
      this.request.messages,
    );
    return this.#conversation;
  }

  with(changes: { readonly request?: ChatRequest; readonly target?: Target }): Exchange {
    const { request = this.#request, target = this.target } = changes;
    if (request !== undefined && request.model !== this.request.model)
      throw new Error(
        'the model of a request can’t be changed in it; kit.models.target(name) finds another, and with({ target }) sends the call there',
      );
    return new Exchange({ ...this.#fields(), target }, request, this.#asking);
  }

  #fields(): ExchangeFields {
    const { id, received, caller, target, presence, trace } = this;
    return { id, received, caller, target, presence, trace, credentials: this.#credentials };
  }

  static {
    inside = {
      credentials: (exchange) => exchange.#credentials,
      asking: (exchange) => exchange.#asking,
      askedFor: (exchange, asking) => new Exchange(exchange.#fields(), exchange.#request, asking),
      aside: (exchange, { asking, ...fields }) =>
        new Exchange({ ...exchange.#fields(), ...fields }, undefined, asking),
    };
  }
}

/** What pays for a call. Like the following, for what surrounds modules: none can reach it by what it is given. */
export function credentialsOf(exchange: Exchange): CredentialFinder {
  return inside.credentials(exchange);
}

export function askingOf(exchange: Exchange): Asking {
  return inside.asking(exchange);
}

/** The same exchange, asked for by a module. */
export function askedFor(exchange: Exchange, asking: Asking): Exchange {
  return inside.askedFor(exchange, asking);
}

/** Another question, asked on behalf of the same caller. */
export function asideOf(exchange: Exchange, question: Question): Exchange {
  return inside.aside(exchange, question);
}

interface Question {
  readonly id: string;
  readonly presence: Presence;
  readonly received: Received;
  readonly target: Target;
  readonly trace: Trace;
  readonly credentials: CredentialFinder;
  readonly asking: Asking;
}

function gone(): Error {
  return new Error('the body of a call can be read until the call is over');
}

const byTheClient: Asking = { within: undefined, askedBy: undefined, isAside: false };
