import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { EraRequestOptions } from './era.ts';
import { limits } from './limits.ts';
import type { RpcId, RpcRequest } from './rpc-message.ts';
import { timeoutError } from './server-errors.ts';

interface Question {
  readonly id: RpcId;
  readonly method: string;
  readonly params: JsonObject;
}

export interface CallParts {
  readonly server: string;
  /** Makes the request; rejects when the signal aborts. */
  run(call: SuspendableCall): Promise<JsonObject>;
  /** Sends the answer of the client to a question of the server. */
  answer(id: RpcId, response: unknown): void;
  /** The call waits for its client, which has this `requestState`. */
  onWait(call: SuspendableCall, state: string): void;
  /** The call has ended. */
  onEnd(call: SuspendableCall): void;
}

/** The part of a call between two results that its client gets. */
interface Leg {
  readonly options: EraRequestOptions;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly result: JsonObject } | { readonly error: unknown };

/**
 * A call of a server with sessions. Where the server asks the client for something, the client gets a result that asks for it, and the
 * call waits here until the client calls again with the answers.
 */
export class SuspendableCall {
  readonly id = randomUUID();
  readonly #parts: CallParts;
  readonly #aborting = new AbortController();
  readonly #questions = new Map<string, Question>();
  #asked = 0;
  #results = 0;
  #leg: Leg | undefined;
  #outcome: Outcome | undefined;
  #isFlushing = false;
  #waitTimer: NodeJS.Timeout | undefined;

  constructor(parts: CallParts) {
    this.#parts = parts;
  }

  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  get isWaiting(): boolean {
    return this.#leg === undefined && this.#outcome === undefined;
  }

  /** Whether it waits for the client that has this `requestState`. */
  waitsFor(state: string): boolean {
    return this.isWaiting && state === this.#state;
  }

  /** The `requestState` of its last result: another one for each. */
  get #state(): string {
    return `${this.id}.${this.#results}`;
  }

  begin(options: EraRequestOptions): Promise<JsonObject> {
    const leg = this.#nextLeg(options);
    this.#parts.run(this).then(
      (result) => this.#settle({ result }),
      (error: unknown) => this.#settle({ error }),
    );
    return leg;
  }

  /** Goes on with these answers, by the names of the questions. */
  resume(answers: unknown, options: EraRequestOptions): Promise<JsonObject> {
    clearTimeout(this.#waitTimer);
    const leg = this.#nextLeg(options);
    for (const [name, { id }] of this.#questions) {
      const response = isJsonObject(answers) ? answers[name] : undefined;
      if (response === undefined) continue;
      this.#questions.delete(name);
      this.#parts.answer(id, response);
    }
    if (this.#questions.size > 0) this.#flushSoon();
    return leg;
  }

  /** The server asks for something. False if this call has asked too often. */
  ask({ id, method, params }: RpcRequest): boolean {
    if (++this.#asked > limits.inputRequestsMax) return false;
    this.#questions.set(`input-${this.#asked}`, { id, method, params });
    this.#flushSoon();
    return true;
  }

  notify(notification: JsonObject): void {
    this.#leg?.options.onNotification?.(notification);
  }

  /** What the client of this call can do. */
  can(capability: string): boolean {
    return this.#leg?.options.clientCapabilities?.[capability] !== undefined;
  }

  abort(reason: unknown): void {
    this.#aborting.abort(reason);
    this.#settle({ error: reason });
  }

  #nextLeg(options: EraRequestOptions): Promise<JsonObject> {
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    const { signal } = options;
    const onAbort = () => this.abort(signal.reason);
    const end = () => signal.removeEventListener('abort', onAbort);
    this.#leg = {
      options,
      resolve: (result) => {
        end();
        resolve(result);
      },
      reject: (error) => {
        end();
        reject(error);
      },
    };
    if (this.#outcome !== undefined) this.#report(this.#outcome);
    else if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    return promise;
  }

  /** In the next turn, so that questions that arrive together are one result. */
  #flushSoon(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => {
      this.#isFlushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    const leg = this.#leg;
    if (leg === undefined || this.#questions.size === 0 || this.#outcome !== undefined) return;
    this.#leg = undefined;
    const { server } = this.#parts;
    this.#waitTimer = setTimeout(
      () => this.abort(timeoutError(server, 'waited too long for the answers of the client')),
      limits.inputWaitMs,
    ).unref();
    const asked = [...this.#questions].map(([name, { method, params }]) => [name, { method, params }]);
    this.#results++;
    const requestState = this.#state;
    leg.resolve({ resultType: 'input_required', inputRequests: Object.fromEntries(asked), requestState });
    this.#parts.onWait(this, requestState);
  }

  #settle(outcome: Outcome): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = outcome;
    clearTimeout(this.#waitTimer);
    this.#parts.onEnd(this);
    this.#report(outcome);
  }

  #report(outcome: Outcome): void {
    const leg = this.#leg;
    this.#leg = undefined;
    if ('result' in outcome) leg?.resolve(outcome.result);
    else leg?.reject(outcome.error);
  }
}
