import type { HeaderList } from './headers.ts';
import { exactBody, type JsonObject } from './json.ts';
import type { ChatRequest } from './message.ts';
import type { Presence } from './presence.ts';
import type { Target } from './provider.ts';
import type { Trace } from './trace.ts';
import type { WireFormat } from './wire-format.ts';

export type Caller =
  | { readonly kind: 'local' }
  | { readonly kind: 'account'; readonly accountId: string; readonly keyId: string }
  | { readonly kind: 'sandbox'; readonly sessionId: string }
  | { readonly kind: 'payer'; readonly challengeId: string };

/** A name for the tenant behind a call; nothing kept under one scope is seen under another. */
export function scopeOf(caller: Caller): string {
  switch (caller.kind) {
    case 'local':
      return 'local';
    case 'account':
      return `account:${caller.accountId}`;
    case 'sandbox':
      return `sandbox:${caller.sessionId}`;
    case 'payer':
      return `payer:${caller.challengeId}`;
  }
}

export interface ReceivedFields {
  readonly wire: WireFormat;
  readonly bytes: Uint8Array;
  readonly body: JsonObject;
  readonly headers: HeaderList;
  readonly query: string;
}

/** What the client sent, as it sent it. */
export class Received {
  readonly wire: WireFormat;
  readonly bytes: Uint8Array;
  readonly body: JsonObject;
  readonly headers: HeaderList;
  /** With its question mark, or empty. */
  readonly query: string;
  #request: ChatRequest | undefined;

  constructor(fields: ReceivedFields) {
    this.wire = fields.wire;
    this.bytes = fields.bytes;
    this.body = fields.body;
    this.headers = fields.headers;
    this.query = fields.query;
  }

  /** Read when somebody asks: a call that is only passed on is never taken apart. */
  get request(): ChatRequest {
    this.#request ??= this.wire.decodeRequest(exactBody(this.body, this.bytes));
    return this.#request;
  }

  get streamed(): boolean {
    return this.body.stream === true;
  }
}

interface ExchangeFields {
  readonly id: string;
  readonly received: Received;
  readonly caller: Caller;
  readonly target: Target;
  readonly presence: Presence;
  readonly trace: Trace;
}

/** One call on its way through the pipeline. A module that changes it passes on another one. */
export class Exchange {
  readonly id: string;
  readonly received: Received;
  readonly caller: Caller;
  readonly target: Target;
  readonly presence: Presence;
  readonly trace: Trace;
  readonly #request: ChatRequest | undefined;

  constructor(fields: ExchangeFields, request?: ChatRequest) {
    this.id = fields.id;
    this.received = fields.received;
    this.caller = fields.caller;
    this.target = fields.target;
    this.presence = fields.presence;
    this.trace = fields.trace;
    this.#request = request;
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

  with(changes: { readonly request?: ChatRequest; readonly target?: Target }): Exchange {
    const target = changes.target ?? this.target;
    return new Exchange({ ...this.#fields(), target }, changes.request ?? this.#request);
  }

  #fields(): ExchangeFields {
    const { id, received, caller, target, presence, trace } = this;
    return { id, received, caller, target, presence, trace };
  }
}
