// A process of a gateway that has several: it waits for its settings, and then serves like one that is alone.
import cluster, { type Worker } from 'node:cluster';
import { type Control, openControl } from '../cli/control.ts';
import { controlsOf } from '../cli/controls.ts';
import { explained } from '../cli/explained.ts';
import { giveFreedMemoryBack } from '../cli/freed-memory.ts';
import { logStrayFailures } from '../cli/stray-failures.ts';
import { startWatchdog } from '../cli/watchdog.ts';
import { letYoungGenerationGrow } from '../cli/young-generation.ts';
import { type Gateway, startGateway } from '../gateway/gateway.ts';
import { readSettings } from '../gateway/settings.ts';
import { limits } from '../kernel/limits.ts';
import { createLog } from '../telemetry/log.ts';
import { type LogOutput, openLogOutput } from '../telemetry/log-output.ts';
import { pipePieceBytes } from '../telemetry/standard-output.ts';
import { Figures } from './figures.ts';
import { linkOf } from './link.ts';
import { Peer } from './peer.ts';
import type { PrimaryQuestions, Started, StartOrder, WorkerQuestions } from './questions.ts';
import { type RemoteMemory, remoteMemory } from './remote-memory.ts';
import { remoteModels } from './remote-models.ts';
import type { Unused } from './slots-ahead.ts';

/** Known before it could have ended. */
const parent = process.ppid;

class WorkerLife implements WorkerQuestions {
  readonly #primary: Peer<WorkerQuestions, PrimaryQuestions>;
  #memory: RemoteMemory | undefined;
  #output: LogOutput | undefined;
  #control: Control | undefined;
  #gateway: Gateway | undefined;
  #closed: Promise<void> | undefined;

  constructor(worker: Worker) {
    this.#primary = new Peer({ link: linkOf(worker), answers: questionsTo(this) });
    worker.on('disconnect', () => {
      // Or the process would be over with this event.
      worker.exitedAfterDisconnect = true;
      void this.#end();
    });
  }

  async hello(): Promise<void> {
    await this.#primary.askWithin(limits.workerStartMs, 'hello');
  }

  async start({ environment, startedAtMs, isJoining }: StartOrder): Promise<Started> {
    try {
      const settings = readSettings(environment);
      this.#output = openLogOutput(settings.logFile, pipePieceBytes);
      const log = createLog(settings.logLevel, this.#output.lines);
      logStrayFailures(log);
      this.#memory = remoteMemory(this.#primary);
      this.#gateway = await startGateway(settings, log, {
        common: {
          startedAtMs,
          isJoining,
          memory: this.#memory,
          models: remoteModels(this.#primary),
          metrics: () => this.#figuresOfAll(),
        },
      });
      const controls = controlsOf({ settings, log, gateway: this.#gateway });
      this.#control = await openControl(settings.dataDir, controls);
      letYoungGenerationGrow();
      giveFreedMemoryBack();
      startWatchdog({ settings, log, parent });
      const { url, pipeline, ready, hasDashboard, unknownVariables } = this.#gateway;
      return { url, pipeline, ready, hasDashboard, unknownVariables };
    } catch (thrown) {
      throw new Error(explained(thrown), { cause: thrown });
    }
  }

  async figures(): Promise<string> {
    return this.#gateway?.metrics() ?? '';
  }

  async leave(): Promise<void> {
    this.#gateway?.leave();
  }

  async handOver(graceMs: number): Promise<string> {
    await this.#gateway?.handOver(graceMs);
    return this.close();
  }

  async reopenLog(): Promise<void> {
    this.#output?.reopen();
  }

  async forgetAccount(accountId: string): Promise<Unused | undefined> {
    return this.#memory?.forgetAccount(accountId);
  }

  async announce(): Promise<void> {
    this.#gateway?.announce();
  }

  async drain(graceMs: number): Promise<void> {
    await this.#gateway?.drain(graceMs);
  }

  async close(): Promise<string> {
    this.#closed ??= this.#gateway?.close(limits.workerLastAnswersMs);
    await this.#closed;
    await this.#control?.close();
    return this.figures();
  }

  async #figuresOfAll(): Promise<string> {
    const all = new Figures();
    for (const figures of await this.#primary.askWithin(2 * limits.workerFiguresMs, 'figuresOfAll'))
      all.add(figures);
    return all.render();
  }

  /** The primary process has let go of this one, or is gone. What is open can't go on, what was used is stored. */
  async #end(): Promise<void> {
    try {
      await this.close();
    } finally {
      this.#output?.lines.flush();
      process.exit();
    }
  }
}

function questionsTo(life: WorkerLife): WorkerQuestions {
  return {
    start: (order) => life.start(order),
    figures: () => life.figures(),
    leave: () => life.leave(),
    handOver: (graceMs) => life.handOver(graceMs),
    reopenLog: () => life.reopenLog(),
    forgetAccount: (accountId) => life.forgetAccount(accountId),
    announce: () => life.announce(),
    drain: (graceMs) => life.drain(graceMs),
    close: () => life.close(),
  };
}

if (cluster.worker === undefined) throw new Error('this is started by the primary process');
// Whoever signals a whole group of processes means its first; that one tells the others.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
await new WorkerLife(cluster.worker).hello();
