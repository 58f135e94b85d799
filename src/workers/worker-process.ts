import cluster, { type Worker } from 'node:cluster';
import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import { unavailable } from '../kernel/ports/unavailable.ts';
import { within } from '../kernel/within.ts';
import { closeHandedConnection } from './handed-connection.ts';
import { linkOf } from './link.ts';
import { Peer } from './peer.ts';
import type { PrimaryQuestions, Started, StartOrder, WorkerQuestions } from './questions.ts';
import type { Holder, Unused } from './slots-ahead.ts';

interface WorkerParts {
  answersTo(worker: WorkerProcess): Omit<PrimaryQuestions, 'hello'>;
  /** It has said its last, and can still be asked. */
  onLast(worker: WorkerProcess): Promise<void>;
}

/** A worker as the primary process sees it. */
export class WorkerProcess implements Holder {
  /** Resolves, when it is over, to how it ended. */
  readonly exited: Promise<string>;
  readonly #parts: WorkerParts;
  readonly #worker: Worker;
  readonly #peer: Peer<PrimaryQuestions, WorkerQuestions>;
  readonly #greeted = Promise.withResolvers<void>();
  #isGreeted = false;
  #isReady = false;
  #lastFigures = '';

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#worker = cluster.fork();
    closeHandedConnection(this.#worker);
    const hello = async () => {
      this.#isGreeted = true;
      this.#greeted.resolve();
    };
    this.#peer = new Peer({ link: linkOf(this.#worker), answers: { ...parts.answersTo(this), hello } });
    this.exited = new Promise((resolve) => {
      this.#worker.on('exit', (code, signal) => resolve(signal ?? `code ${code}`));
      // There may have been no process to end.
      this.#worker.on('error', ({ message }) => resolve(message));
    });
  }

  /** No other has it, before or after. */
  get name(): string {
    return String(this.#worker.id);
  }

  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  /** Since it serves. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** It knows nothing any more. */
  get hasEnded(): boolean {
    return this.#peer.hasEnded;
  }

  /** What it said of itself when it was last asked. */
  get lastFigures(): string {
    return this.#lastFigures;
  }

  /** One that can't be started is over when this rejects. */
  async start(order: StartOrder): Promise<Started> {
    try {
      void this.exited.then((how) => this.#greeted.reject(unavailable(how)));
      await within(this.#greeted.promise, limits.workerStartMs, () => unavailable('it is silent'));
      const started = await this.#peer.askWithin(limits.workerStartMs, 'start', order);
      this.#isReady = true;
      return started;
    } catch (thrown) {
      const how = await this.kill();
      // What the worker itself says is in words for whoever started it.
      if (!GatewayError.is(thrown)) throw thrown;
      throw new Error(`a process ended before it was ready (${how})`, { cause: thrown });
    }
  }

  async figures(): Promise<string> {
    this.#lastFigures = await this.#peer.askWithin(limits.workerFiguresMs, 'figures');
    return this.#lastFigures;
  }

  async reopenLog(): Promise<void> {
    if (this.#isReady) await this.#peer.ask('reopenLog');
  }

  /** One that has not said hello yet knows nothing. */
  async forgetAccount(accountId: string, withinMs: number): Promise<Unused | undefined> {
    if (!this.#isGreeted) return undefined;
    return this.#peer.askWithin(withinMs, 'forgetAccount', accountId);
  }

  /**
   * Waited for until it is heard, however busy the worker is: as long as one of them says that it is ready, balancers go on
   * sending calls. One that is not ready yet is killed, since it would say so later.
   */
  async announce(): Promise<void> {
    if (this.#isReady) await this.#peer.askWithin(limits.workerEndMs, 'announce');
    else await this.kill();
  }

  /** One that is not ready yet is killed, and so is one that does not answer. */
  async drain(graceMs: number): Promise<void> {
    try {
      if (!this.#isReady) throw unavailable('it is not ready');
      await this.#peer.askWithin(graceMs + limits.workerDrainedMs, 'drain', graceMs);
    } catch {
      await this.kill();
    }
  }

  async leave(): Promise<void> {
    if (this.#isReady) await this.#peer.ask('leave');
  }

  handOver(graceMs: number): Promise<void> {
    return this.#end(this.#peer.askWithin(graceMs + limits.workerEndMs, 'handOver', graceMs));
  }

  close(): Promise<void> {
    return this.#end(this.#peer.askWithin(limits.workerEndMs, 'close'));
  }

  async kill(): Promise<string> {
    this.#worker.process.kill('SIGKILL');
    return this.exited;
  }

  /** Lets go of it when it has said its last; one that says nothing is killed. */
  async #end(last: Promise<string>): Promise<void> {
    try {
      this.#lastFigures = await last;
      await this.#parts.onLast(this);
      if (this.#worker.isConnected()) this.#worker.process.disconnect();
      await within(this.exited, limits.workerEndMs, () => new Error('it does not end'));
    } catch {
      await this.kill();
    }
  }
}
