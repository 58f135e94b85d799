import type { Secret } from '../lib/secret.ts';
import type { AttemptObserver } from './attempt.ts';
import { AttemptLimit, type AttemptLimits } from './attempt-limit.ts';
import type { Caller } from './caller.ts';
import type { ClientPresence } from './client-presence.ts';
import type { ClientRequest } from './client-request.ts';
import { Conversation, identifyConversation } from './conversation/conversation.ts';
import type { Prefix } from './conversation/prefix.ts';
import type { ChatRequest } from './message.ts';
import type { NanoUsd } from './money.ts';
import type { CallBudget } from './ports/budget.ts';
import { isResolved, type Target, type TargetFinder } from './provider.ts';
import type { RelayRequest } from './relay.ts';
import { noTags, type Tags } from './tags.ts';
import type { Trace } from './trace.ts';

/** Resolves the credential for a call's provider; rejects if one is needed and missing. */
export interface CredentialResolver {
  /**
   * Of several keys, one that works now. `first` is the same for all calls with these keys, whatever their state. `stored`
   * is for after the call has ended, when credentials of the request may no longer be used. Answers at once if the keys are
   * in memory.
   */
  find(target: Target, which?: 'stored' | 'first'): Secret | undefined | Promise<Secret | undefined>;
  /** Differs for calls that may go to different targets, so that they share no answers; empty if all targets are allowed. */
  readonly targetsDigest?: string;
}

/** Finds the aliases of the caller. */
export interface AliasResolver {
  /** The models of the alias that the client asked for. */
  readonly requested: readonly string[] | undefined;
  /** The models that a name stands for; undefined if it is no alias. */
  modelsOf(name: string): Promise<readonly string[] | undefined>;
}

interface ExchangeFields {
  readonly id: string;
  readonly clientRequest: ClientRequest;
  readonly caller: Caller;
  readonly target: Target;
  readonly presence: ClientPresence;
  readonly trace: Trace;
  readonly credentials: CredentialResolver;
  /** Undefined for callers without aliases. */
  readonly aliases?: AliasResolver | undefined;
  /** Undefined for callers without providers of their own. */
  readonly targets?: TargetFinder | undefined;
  readonly tags?: Tags;
  readonly budgets?: readonly CallBudget[];
  readonly costBound?: NanoUsd | undefined;
  readonly attemptLimit?: AttemptLimit | undefined;
  readonly relay?: RelayRequest | undefined;
}

/** How an exchange came about: the modules that it has passed through. */
interface RequestOrigin {
  readonly observer: AttemptObserver | undefined;
  /** The module that made the request, as a retry or for itself. */
  readonly askedBy: string | undefined;
  /** Whether it is a module's own question. */
  readonly isModuleCall: boolean;
  /** The provider's cached prefix of the conversation; undefined if no module may change it. */
  readonly prefix?: Prefix | undefined;
}

let internals: {
  credentials(exchange: Exchange): CredentialResolver;
  aliases(exchange: Exchange): AliasResolver | undefined;
  targets(exchange: Exchange): TargetFinder | undefined;
  requestOrigin(exchange: Exchange): RequestOrigin;
  withRequestOrigin(exchange: Exchange, requestOrigin: RequestOrigin): Exchange;
  createModuleCall(exchange: Exchange, moduleCallFields: ModuleCallFields): Exchange;
  usedCredential(exchange: Exchange): Secret | undefined;
  setUsedCredential(exchange: Exchange, credential: Secret | undefined): void;
};

/** One call in the pipeline. Immutable: a module that changes it passes on a new one. */
export class Exchange {
  readonly id: string;
  readonly clientRequest: ClientRequest;
  readonly caller: Caller;
  readonly target: Target;
  readonly presence: ClientPresence;
  readonly trace: Trace;
  /** The client's labels of the call. */
  readonly tags: Tags;
  /** The stored budgets of the account that limit the call. */
  readonly budgets: readonly CallBudget[];
  /** The most that the call can cost, if a module has held that much for it. */
  readonly costBound: NanoUsd | undefined;
  /** Set by a module that waits for the first content, to send the call elsewhere if it doesn't come. */
  readonly attemptLimit: AttemptLimit | undefined;
  /** Set for a call to an endpoint without a canonical form, which has no `request`: the client's, or a changed one. */
  readonly relay: RelayRequest | undefined;
  readonly #credentials: CredentialResolver;
  readonly #aliases: AliasResolver | undefined;
  readonly #targets: TargetFinder | undefined;
  readonly #request: ChatRequest | undefined;
  readonly #requestOrigin: RequestOrigin;
  #conversation: Conversation | undefined;
  /** The credential that the upstream used for this exchange. */
  #usedCredential: Secret | undefined;

  constructor(fields: ExchangeFields, request?: ChatRequest, requestOrigin = clientOrigin) {
    this.id = fields.id;
    this.clientRequest = fields.clientRequest;
    this.caller = fields.caller;
    this.target = fields.target;
    this.presence = fields.presence;
    this.trace = fields.trace;
    this.tags = fields.tags ?? noTags;
    this.budgets = fields.budgets ?? noBudgets;
    this.costBound = fields.costBound;
    this.attemptLimit = fields.attemptLimit;
    this.relay = fields.relay ?? fields.clientRequest.relay;
    this.#credentials = fields.credentials;
    this.#aliases = fields.aliases;
    this.#targets = fields.targets;
    this.#request = request;
    this.#requestOrigin = requestOrigin;
  }

  /** Aborted when the client disconnects. */
  get signal(): AbortSignal {
    return this.presence.signal;
  }

  get request(): ChatRequest {
    return this.#request ?? this.clientRequest.request;
  }

  /** Whether a provider is known for the model; without one, the call fails unless a module gives it a target. */
  get isTargetResolved(): boolean {
    return isResolved(this.target);
  }

  /** Whether the request is still the client's own. */
  get isUnmodified(): boolean {
    return this.#request === undefined || this.#request === this.clientRequest.request;
  }

  /** The conversation of the call as of this request; computed on first use. */
  get conversation(): Conversation {
    this.#conversation ??= new Conversation(
      this.trace.resolveConversation(() => identifyConversation(this)),
      this.request.messages,
    );
    return this.#conversation;
  }

  with(changes: {
    readonly request?: ChatRequest;
    readonly target?: Target;
    readonly costBound?: NanoUsd;
    readonly relay?: RelayRequest;
  }): Exchange {
    const { target = this.target, costBound = this.costBound, relay = this.relay } = changes;
    const { request = this.#request } = changes;
    if (request !== undefined && request.model !== this.request.model)
      throw new Error(
        'a request cannot change its model; get a target with kit.models.target(name) and pass it to with({ target })',
      );
    return new Exchange({ ...this.#fields(), target, costBound, relay }, request, this.#requestOrigin);
  }

  /** The same exchange as an attempt that fails unless its first content arrives in time. */
  withAttemptLimit(limits: AttemptLimits): Exchange {
    const attemptLimit = new AttemptLimit(this.presence, limits);
    const fields = { ...this.#fields(), presence: attemptLimit.presence, attemptLimit };
    return new Exchange(fields, this.#request, this.#requestOrigin);
  }

  #fields(): ExchangeFields {
    const {
      id,
      clientRequest,
      caller,
      target,
      presence: clientPresence,
      trace,
      tags,
      budgets,
      costBound,
      attemptLimit,
      relay,
    } = this;
    return {
      id,
      clientRequest,
      caller,
      target,
      presence: clientPresence,
      trace,
      tags,
      budgets,
      credentials: this.#credentials,
      aliases: this.#aliases,
      targets: this.#targets,
      costBound,
      attemptLimit,
      relay,
    };
  }

  static {
    internals = {
      credentials: (exchange) => exchange.#credentials,
      aliases: (exchange) => exchange.#aliases,
      targets: (exchange) => exchange.#targets,
      requestOrigin: (exchange) => exchange.#requestOrigin,
      withRequestOrigin: (exchange, requestOrigin) =>
        new Exchange(exchange.#fields(), exchange.#request, requestOrigin),
      createModuleCall: (exchange, { requestOrigin, ...fields }) =>
        new Exchange(
          { ...exchange.#fields(), costBound: undefined, relay: undefined, ...fields },
          undefined,
          requestOrigin,
        ),
      usedCredential: (exchange) => exchange.#usedCredential,
      setUsedCredential(exchange, credential) {
        exchange.#usedCredential = credential;
      },
    };
  }
}

/** The credentials of a call. Like the following functions, for the kernel only: modules can't reach them. */
export function credentialsOf(exchange: Exchange): CredentialResolver {
  return internals.credentials(exchange);
}

export function aliasesOf(exchange: Exchange): AliasResolver | undefined {
  return internals.aliases(exchange);
}

/** Finds targets by the names that the caller can use; undefined if the caller has no providers of its own. */
export function targetsOf(exchange: Exchange): TargetFinder | undefined {
  return internals.targets(exchange);
}

/** The credential that an attempt was made with; undefined if it needed or found none. */
export function usedCredentialOf(exchange: Exchange): Secret | undefined {
  return internals.usedCredential(exchange);
}

export function setUsedCredential(exchange: Exchange, credential: Secret | undefined): void {
  internals.setUsedCredential(exchange, credential);
}

export function requestOriginOf(exchange: Exchange): RequestOrigin {
  return internals.requestOrigin(exchange);
}

/** The same exchange, with the module that made the request. */
export function withRequestOrigin(exchange: Exchange, requestOrigin: RequestOrigin): Exchange {
  return internals.withRequestOrigin(exchange, requestOrigin);
}

/** A module's own question on behalf of the same caller. */
export function createModuleCall(exchange: Exchange, moduleCallFields: ModuleCallFields): Exchange {
  return internals.createModuleCall(exchange, moduleCallFields);
}

interface ModuleCallFields {
  readonly id: string;
  readonly presence: ClientPresence;
  readonly clientRequest: ClientRequest;
  readonly target: Target;
  readonly trace: Trace;
  readonly credentials: CredentialResolver;
  readonly requestOrigin: RequestOrigin;
}

const noBudgets: readonly CallBudget[] = [];

const clientOrigin: RequestOrigin = { observer: undefined, askedBy: undefined, isModuleCall: false };
