// A worker process: waits for its settings, then serves like a single process.
import cluster, { type Worker } from 'node:cluster';
import { type Gateway, startGateway } from '../gateway/gateway.ts';
import { readSettings, SettingsError } from '../gateway/settings.ts';
import type { ReloadResult } from '../kernel/ports/reload.ts';
import type { OpenSocket } from '../lib/late-socket.ts';
import { createControlHandlers } from '../process/control-handlers.ts';
import { type ControlServer, openControlSocket } from '../process/control-socket.ts';
import { explainError } from '../process/explain-error.ts';
import { logUnhandledRejections } from '../process/unhandled-rejections.ts';
import { startWatchdog } from '../process/watchdog.ts';
import { growYoungGeneration } from '../process/young-generation.ts';
import { createLog } from '../telemetry/log.ts';
import { type LogOutput, openLogOutput } from '../telemetry/log-output.ts';
import { pipeChunkBytesMax } from '../telemetry/stdout-writer.ts';
import { confine } from './confined/confined-worker.ts';
import { denyThreads } from './confined/permissions.ts';
import { limits } from './limits.ts';
import { MetricsAggregator } from './metrics-aggregator.ts';
import { channelTo } from './process-channel.ts';
import { createRemoteModels } from './remote-models.ts';
import { createRemoteStores, type RemoteStores } from './remote-stores.ts';
import type { PrimaryMethods, WorkerMethods, WorkerStartOptions, WorkerStartResult } from './rpc-methods.ts';
import { RpcPeer } from './rpc-peer.ts';
import type { UnusedSlots } from './slot-leases.ts';

/** Captured early, before the primary could have ended. */
const parent = process.ppid;

class WorkerServer implements WorkerMethods {
  readonly #primary: RpcPeer<WorkerMethods, PrimaryMethods>;
  /** Undefined if this process opens its connections itself. */
  readonly #openSocket: OpenSocket | undefined;
  #stores: RemoteStores | undefined;
  #output: LogOutput | undefined;
  #control: ControlServer | undefined;
  #gateway: Gateway | undefined;
  #closed: Promise<void> | undefined;

  constructor(worker: Worker) {
    this.#openSocket = confine(worker);
    this.#primary = new RpcPeer({ channel: channelTo(worker), handlers: createWorkerHandlers(this) });
    worker.on('disconnect', () => {
      // Otherwise the process would exit with this event.
      worker.exitedAfterDisconnect = true;
      void this.#end();
    });
  }

  async hello(): Promise<void> {
    await this.#primary.invokeWithTimeout(limits.workerStartMs, 'hello');
  }

  async start({
    environment,
    startedAtMs,
    isJoining,
    settingsChange,
  }: WorkerStartOptions): Promise<WorkerStartResult> {
    try {
      const settings = readSettings(environment);
      this.#output = openLogOutput(settings.logFile, pipeChunkBytesMax);
      const log = createLog(settings.logLevel, this.#output.lines);
      logUnhandledRejections(log);
      const watch = () => startWatchdog({ settings, log, parent });
      const openSocket = this.#openSocket;
      const confined = openSocket && { openSocket, beforePackages: () => denyFurther(watch) };
      this.#stores = createRemoteStores(this.#primary);
      this.#gateway = await startGateway(settings, log, {
        sharedResources: {
          startedAtMs,
          isJoining,
          stores: this.#stores,
          models: createRemoteModels(this.#primary),
          metrics: () => this.#aggregateMetrics(),
          ...confined,
        },
        reload: () => this.#reload(),
        settingsChange,
      });
      const controls = createControlHandlers({ settings, log, gateway: this.#gateway });
      this.#control = await openControlSocket(settings.dataDir, controls);
      growYoungGeneration();
      if (confined === undefined) watch();
      const { url, pipeline, readyProviders, hasDashboard, unknownVariables } = this.#gateway;
      return { url, pipeline, readyProviders, hasDashboard, unknownVariables };
    } catch (thrown) {
      throw new Error(explainError(thrown), { cause: thrown });
    }
  }

  async metrics(): Promise<string> {
    return this.#gateway?.metrics() ?? '';
  }

  async stopAccepting(): Promise<void> {
    this.#gateway?.stopAccepting();
  }

  async handOver(graceMs: number): Promise<string> {
    await this.#gateway?.handOver(graceMs);
    return this.close();
  }

  async reopenLog(): Promise<void> {
    this.#output?.reopen();
  }

  async forgetAccount(accountId: string): Promise<UnusedSlots | undefined> {
    return this.#stores?.forgetAccount(accountId);
  }

  async announceShutdown(): Promise<void> {
    this.#gateway?.announceShutdown();
  }

  async drain(graceMs: number): Promise<void> {
    await this.#gateway?.drain(graceMs);
  }

  async close(): Promise<string> {
    this.#closed ??= this.#gateway?.close(limits.workerLastAnswersMs);
    await this.#closed;
    await this.#control?.close();
    return this.metrics();
  }

  /** This worker is replaced, and ends when it has answered. */
  async #reload(): Promise<ReloadResult> {
    const result = await this.#primary.invokeWithTimeout(2 * limits.workerStartMs, 'reload');
    if ('faults' in result) throw new SettingsError(result.faults);
    return result;
  }

  async #aggregateMetrics(): Promise<string> {
    const all = new MetricsAggregator();
    for (const figures of await this.#primary.invokeWithTimeout(2 * limits.workerFiguresMs, 'allMetrics'))
      all.add(figures);
    return all.render();
  }

  /** The primary process has disconnected or died: aborts open calls and flushes usage. */
  async #end(): Promise<void> {
    try {
      await this.close();
    } finally {
      this.#output?.lines.flush();
      process.exit();
    }
  }
}

/** All threads run: code of modules gets none of its own. */
function denyFurther(startLast: () => void): void {
  startLast();
  denyThreads();
}

function createWorkerHandlers(life: WorkerServer): WorkerMethods {
  return {
    start: (order) => life.start(order),
    metrics: () => life.metrics(),
    stopAccepting: () => life.stopAccepting(),
    handOver: (graceMs) => life.handOver(graceMs),
    reopenLog: () => life.reopenLog(),
    forgetAccount: (accountId) => life.forgetAccount(accountId),
    announceShutdown: () => life.announceShutdown(),
    drain: (graceMs) => life.drain(graceMs),
    close: () => life.close(),
  };
}

if (cluster.worker === undefined) throw new Error('worker.ts must be started by the primary process');
// Signals to the process group are for the primary process, which stops the workers.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
await new WorkerServer(cluster.worker).hello();
