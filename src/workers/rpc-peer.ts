import { limits } from '../kernel/limits.ts';
import { storageUnavailable } from '../kernel/ports/storage-unavailable.ts';
import { deserializeError, type SerializedError, serializeError } from './serialized-error.ts';

/** What one side can be asked, by name. Both sides are of one release, so that the names stand for the types. */
export type RpcMethods<Names> = { readonly [Name in keyof Names]: RpcHandler };

type RpcHandler = { answer(...values: readonly unknown[]): unknown }['answer'];

/** The way to another process; whatever can be cloned arrives as it was sent. */
export interface ProcessChannel {
  send(message: RpcMessage): void;
  onMessage(hear: (message: RpcMessage) => void): void;
  onEnd(then: () => void): void;
}

/** All that was said in one turn of the event loop. */
export interface RpcMessage {
  readonly invocations: readonly RpcInvocation[];
  readonly results: readonly RpcResult[];
}

interface RpcInvocation {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
  /** On the machine's clock: after this nobody waits for the answer. */
  readonly deadlineMs: number;
}

interface RpcResult {
  readonly id: number;
  readonly value?: unknown;
  readonly failure?: SerializedError;
}

interface PendingInvocation {
  readonly deadlineMs: number;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

interface RpcPeerParts<Mine> {
  readonly channel: ProcessChannel;
  /** What the other side may ask. */
  readonly handlers: Mine;
  readonly pendingMax?: number;
}

/**
 * Two processes that ask each other questions. Whoever asks has an answer or an error within a bounded time, and what
 * is said in one turn of the event loop goes out as one message: the message is what costs, not what is in it.
 */
export class RpcPeer<Mine extends RpcMethods<Mine>, Theirs extends RpcMethods<Theirs>> {
  readonly #channel: ProcessChannel;
  readonly #handlers: ReadonlyMap<string, RpcHandler>;
  readonly #pendingMax: number;
  readonly #pending = new Map<number, PendingInvocation>();
  #invocations: RpcInvocation[] = [];
  #results: RpcResult[] = [];
  #willSend = false;
  #willSweep = false;
  #hasEnded = false;
  #lastId = 0;

  constructor({ channel, handlers, pendingMax = limits.workerPendingMax }: RpcPeerParts<Mine>) {
    this.#channel = channel;
    this.#handlers = new Map(Object.entries(handlers));
    this.#pendingMax = pendingMax;
    channel.onMessage((rpcMessage) => this.#onMessage(rpcMessage));
    channel.onEnd(() => this.#onEnd());
  }

  /** Whether nothing can be asked any more. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Questions that have no answer yet. */
  get pending(): number {
    return this.#pending.size;
  }

  invoke<Name extends keyof Theirs & string>(
    name: Name,
    ...values: Parameters<Theirs[Name]>
  ): Promise<Awaited<ReturnType<Theirs[Name]>>> {
    return this.invokeWithTimeout(limits.workerAnswerMs, name, ...values);
  }

  invokeWithTimeout<Name extends keyof Theirs & string>(
    ms: number,
    name: Name,
    ...args: Parameters<Theirs[Name]>
  ): Promise<Awaited<ReturnType<Theirs[Name]>>> {
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) throw storageUnavailable('the other process has ended');
      if (this.#pending.size >= this.#pendingMax)
        throw storageUnavailable('the other process is not keeping up');
      const id = ++this.#lastId;
      const deadlineMs = Date.now() + ms;
      this.#pending.set(id, { deadlineMs, resolve, reject });
      this.#invocations.push({ id, name, args, deadlineMs });
      this.#sendSoon();
      this.#sweepSoon();
    });
  }

  #onMessage({ invocations, results }: RpcMessage): void {
    for (const answer of results) this.#settle(answer);
    // Those who were answered go on first: what is asked with their answers may be about what they got.
    if (invocations.length > 0) queueMicrotask(() => this.#handleAll(invocations));
  }

  #handleAll(asked: readonly RpcInvocation[]): void {
    const nowMs = Date.now();
    // What nobody waits for must not be done: a slot would be taken that nobody gives back.
    for (const question of asked) if (question.deadlineMs > nowMs) void this.#handle(question);
  }

  #settle({ id, value, failure: serializedError }: RpcResult): void {
    const pendingInvocation = this.#pending.get(id);
    this.#pending.delete(id);
    if (serializedError === undefined) pendingInvocation?.resolve(value);
    else pendingInvocation?.reject(deserializeError(serializedError));
  }

  async #handle(question: RpcInvocation): Promise<void> {
    const rpcResult = await this.#runHandler(question);
    this.#results.push(rpcResult);
    this.#sendSoon();
  }

  async #runHandler({ id, name, args }: RpcInvocation): Promise<RpcResult> {
    try {
      const answer = this.#handlers.get(name);
      if (answer === undefined) throw new Error(`nobody here answers "${name}"`);
      return { id, value: await answer(...args) };
    } catch (thrown) {
      return { id, failure: serializeError(thrown) };
    }
  }

  /** After everything that has arrived by now is looked at, since that is what is said at once. */
  #sendSoon(): void {
    if (this.#willSend) return;
    this.#willSend = true;
    setImmediate(() => {
      this.#willSend = false;
      const message = { invocations: this.#invocations, results: this.#results };
      this.#invocations = [];
      this.#results = [];
      if (!this.#hasEnded) this.#channel.send(message);
    });
  }

  /** One timer for all that is pending: one for each would cost as much as the question. */
  #sweepSoon(): void {
    if (this.#willSweep) return;
    this.#willSweep = true;
    // After a long task of our own answers may be there and not read yet: they are, before the immediate runs.
    setTimeout(() => setImmediate(() => this.#sweep()), limits.workerSweepMs).unref();
  }

  #sweep(): void {
    this.#willSweep = false;
    const nowMs = Date.now();
    for (const [id, { deadlineMs, reject }] of this.#pending)
      if (deadlineMs <= nowMs) {
        this.#pending.delete(id);
        reject(storageUnavailable('the other process did not answer in time'));
      }
    if (this.#pending.size > 0) this.#sweepSoon();
  }

  #onEnd(): void {
    this.#hasEnded = true;
    for (const { reject } of this.#pending.values())
      reject(storageUnavailable('the other process has ended'));
    this.#pending.clear();
  }
}
