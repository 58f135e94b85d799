import { ClientPresence } from './client-presence.ts';

export interface AttemptLimits {
  readonly contentMs: number;
  readonly noticesRefusals?: boolean;
}

/**
 * Limits one attempt of a call that a module may send elsewhere: its first content must arrive in time, and it can be
 * aborted while the call goes on.
 */
export class AttemptLimit {
  /** Leaves with the client, when the time is over, and when the attempt is aborted. */
  readonly presence = new ClientPresence();
  /** The time until the first content. */
  readonly contentMs: number;
  /** Whether the module wants to know about refusals, for which whole documents are read. */
  readonly noticesRefusals: boolean;
  /** Whether the answer begins with the model's refusal. */
  isRefused = false;
  #hasExpired = false;
  readonly #timer: NodeJS.Timeout;

  constructor(client: ClientPresence, { contentMs, noticesRefusals = false }: AttemptLimits) {
    this.contentMs = contentMs;
    this.noticesRefusals = noticesRefusals;
    this.#timer = setTimeout(() => this.#expire(), contentMs);
    client.onLeave(() => this.abort());
  }

  /** Whether the first content did not arrive in time. */
  get hasExpired(): boolean {
    return this.#hasExpired;
  }

  /** The first content has arrived, or the attempt has failed: the rest of an answer may take any time. */
  end(): void {
    clearTimeout(this.#timer);
  }

  abort(): void {
    clearTimeout(this.#timer);
    this.presence.leave();
  }

  #expire(): void {
    this.#hasExpired = true;
    this.presence.leave();
  }
}
