import cluster, { type Worker } from 'node:cluster';
import { GatewayError } from '../kernel/errors.ts';
import { storageUnavailable } from '../kernel/ports/storage-unavailable.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { closeHandedConnection } from './handed-connection.ts';
import { limits } from './limits.ts';
import { channelTo } from './process-channel.ts';
import type { PrimaryMethods, WorkerMethods, WorkerStartOptions, WorkerStartResult } from './rpc-methods.ts';
import { RpcPeer } from './rpc-peer.ts';
import type { LeaseHolder, UnusedSlots } from './slot-leases.ts';

interface WorkerProcessParts {
  handlersFor(worker: WorkerProcess): Omit<PrimaryMethods, 'hello'>;
  /** Its last metrics were reported, but it still responds. */
  onStopping(worker: WorkerProcess): Promise<void>;
  /** Called with a new process, before it runs. */
  onForked?(worker: Worker): void;
}

/** A worker as the primary process sees it. */
export class WorkerProcess implements LeaseHolder {
  /** Resolves to how it ended. */
  readonly exited: Promise<string>;
  readonly #parts: WorkerProcessParts;
  readonly #worker: Worker;
  readonly #peer: RpcPeer<PrimaryMethods, WorkerMethods>;
  readonly #helloReceived = Promise.withResolvers<void>();
  #hasSaidHello = false;
  #isReady = false;
  #lastMetrics = '';

  constructor(parts: WorkerProcessParts) {
    this.#parts = parts;
    this.#worker = cluster.fork();
    closeHandedConnection(this.#worker);
    parts.onForked?.(this.#worker);
    const hello = async () => {
      this.#hasSaidHello = true;
      this.#helloReceived.resolve();
    };
    this.#peer = new RpcPeer({
      channel: channelTo(this.#worker),
      handlers: { ...parts.handlersFor(this), hello },
    });
    this.exited = new Promise((resolve) => {
      this.#worker.on('exit', (code, signal) => resolve(signal ?? `code ${code}`));
      // The process may have failed to start.
      this.#worker.on('error', ({ message }) => resolve(message));
    });
  }

  /** Unique, also over time. */
  get name(): string {
    return String(this.#worker.id);
  }

  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  /** From the moment it serves. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** It has no cached state any more. */
  get hasEnded(): boolean {
    return this.#peer.hasEnded;
  }

  /** Its last reported metrics. */
  get lastMetrics(): string {
    return this.#lastMetrics;
  }

  /** If this rejects, the worker has ended. */
  async start(order: WorkerStartOptions): Promise<WorkerStartResult> {
    try {
      void this.exited.then((how) => this.#helloReceived.reject(storageUnavailable(how)));
      await withTimeout(this.#helloReceived.promise, limits.workerStartMs, () =>
        storageUnavailable('it did not report in time'),
      );
      const workerStartResult = await this.#peer.invokeWithTimeout(limits.workerStartMs, 'start', order);
      this.#isReady = true;
      return workerStartResult;
    } catch (thrown) {
      const how = await this.kill();
      // An error of the worker itself is already an explanation for the operator.
      if (!GatewayError.is(thrown)) throw thrown;
      throw new Error(`a worker ended before it was ready (${how})`, { cause: thrown });
    }
  }

  async metrics(): Promise<string> {
    this.#lastMetrics = await this.#peer.invokeWithTimeout(limits.workerFiguresMs, 'metrics');
    return this.#lastMetrics;
  }

  async reopenLog(): Promise<void> {
    if (this.#isReady) await this.#peer.invoke('reopenLog');
  }

  /** A worker that has not announced itself has no cached state. */
  async forgetAccount(accountId: string, withinMs: number): Promise<UnusedSlots | undefined> {
    if (!this.#hasSaidHello) return undefined;
    return this.#peer.invokeWithTimeout(withinMs, 'forgetAccount', accountId);
  }

  /**
   * Waited for until it is heard, however busy the worker is: as long as one of them says that it is ready, balancers go on
   * sending calls. One that is not ready yet is killed, since it would say so later.
   */
  async announceShutdown(): Promise<void> {
    if (this.#isReady) await this.#peer.invokeWithTimeout(limits.workerEndMs, 'announceShutdown');
    else await this.kill();
  }

  /** Kills a worker that is not ready or does not respond. */
  async drain(graceMs: number): Promise<void> {
    try {
      if (!this.#isReady) throw storageUnavailable('it is not ready');
      await this.#peer.invokeWithTimeout(graceMs + limits.workerDrainedMs, 'drain', graceMs);
    } catch {
      await this.kill();
    }
  }

  async stopAccepting(): Promise<void> {
    if (this.#isReady) await this.#peer.invoke('stopAccepting');
  }

  handOver(graceMs: number): Promise<void> {
    return this.#stop(this.#peer.invokeWithTimeout(graceMs + limits.workerEndMs, 'handOver', graceMs));
  }

  close(): Promise<void> {
    return this.#stop(this.#peer.invokeWithTimeout(limits.workerEndMs, 'close'));
  }

  async kill(): Promise<string> {
    this.#worker.process.kill('SIGKILL');
    return this.exited;
  }

  /** Disconnects after the last metrics; kills a worker that does not respond. */
  async #stop(last: Promise<string>): Promise<void> {
    try {
      this.#lastMetrics = await last;
      await this.#parts.onStopping(this);
      if (this.#worker.isConnected()) this.#worker.process.disconnect();
      await withTimeout(this.exited, limits.workerEndMs, () => new Error('it does not end'));
    } catch {
      await this.kill();
    }
  }
}
