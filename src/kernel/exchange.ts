import type { Asker } from './attempt.ts';
import type { Caller } from './caller.ts';
import { Conversation, originOf } from './conversation/conversation.ts';
import type { Prefix } from './conversation/prefix.ts';
import type { ChatRequest } from './message.ts';
import type { Presence } from './presence.ts';
import type { Target } from './provider.ts';
import type { Received } from './received.ts';
import type { Secret } from './secret.ts';
import type { Trace } from './trace.ts';

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

const byTheClient: Asking = { within: undefined, askedBy: undefined, isAside: false };
