import { storageUnavailable } from '../kernel/ports/storage-unavailable.ts';
import { limits } from './limits.ts';
import { deserializeError, type SerializedError, serializeError } from './serialized-error.ts';

/** RPC methods by name. Both sides run the same release, so the names determine the types. */
export type RpcMethods<Names> = { readonly [Name in keyof Names]: RpcHandler };

type RpcHandler = { answer(...values: readonly unknown[]): unknown }['answer'];

/** A channel to another process, for structured-cloneable values. */
export interface ProcessChannel {
  send(message: RpcMessage): void;
  onMessage(hear: (message: RpcMessage) => void): void;
  onEnd(then: () => void): void;
}

/** All invocations and answers of one event loop turn. */
export interface RpcMessage {
  readonly invocations: readonly RpcInvocation[];
  readonly results: readonly RpcResult[];
}

interface RpcInvocation {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
  /** By the machine's clock; after this the caller no longer waits. */
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
  /** The methods that the other side may call. */
  readonly handlers: Mine;
  readonly pendingMax?: number;
}

/**
 * RPC between two processes. Each call gets an answer or an error within a bounded time. Calls of one event loop turn are
 * sent as one message, since the cost is per message.
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

  /** Whether the channel has closed. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The number of pending calls. */
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
    // Answers first: calls in the same message may depend on them.
    if (invocations.length > 0) queueMicrotask(() => this.#handleAll(invocations));
  }

  #handleAll(invocations: readonly RpcInvocation[]): void {
    const nowMs = Date.now();
    // Skips expired calls: otherwise a slot could be taken and never returned.
    for (const invocation of invocations) if (invocation.deadlineMs > nowMs) void this.#handle(invocation);
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
      if (answer === undefined) throw new Error(`unknown method "${name}"`);
      return { id, value: await answer(...args) };
    } catch (thrown) {
      return { id, failure: serializeError(thrown) };
    }
  }

  /** Sends after all received messages are processed, to batch their answers. */
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

  /** One timer for all pending calls: one each would cost as much as the call. */
  #sweepSoon(): void {
    if (this.#willSweep) return;
    this.#willSweep = true;
    // After a long task, answers may be received but unread; they are read before the immediate runs.
    setTimeout(() => setImmediate(() => this.#sweep()), limits.workerSweepMs).unref();
  }

  #sweep(): void {
    this.#willSweep = false;
    const nowMs = Date.now();
    for (const [id, { deadlineMs, reject }] of this.#pending)
      if (deadlineMs <= nowMs) {
        this.#pending.delete(id);
        reject(storageUnavailable('the other process did not respond in time'));
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
