import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { loadEnvironment } from '../cli/load-settings.ts';
import type { LocalModels } from '../embeddings/local-models.ts';
import { createInProcessStores } from '../gateway/ephemeral-stores.ts';
import { createLocalModels, modelGauges } from '../gateway/local-models.ts';
import { RootSecrets } from '../gateway/secrets.ts';
import { type Environment, readSettings, type Settings } from '../gateway/settings.ts';
import { systemClock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import { createLog, type LineSink, lostLinesGauge } from '../telemetry/log.ts';
import type { WorkerStartResult } from './rpc-methods.ts';
import { WorkerGroup } from './worker-group.ts';
import { WorkerPool } from './worker-pool.ts';

export interface PrimaryStartResult extends WorkerStartResult {
  readonly settings: Settings;
}

/** The process that has the port and the shared memory, and starts those that serve. */
export class Primary {
  readonly #environment: Environment;
  readonly #lines: LineSink;
  readonly #pool: WorkerPool;
  readonly #models: LocalModels;
  readonly #startedAtMs = systemClock.now();
  readonly #groups = new Set<WorkerGroup>();
  #current: WorkerGroup | undefined;
  /** The database that has been served with. */
  #databaseLocation: string | undefined;

  constructor(environment: Environment, lineSink: LineSink) {
    this.#environment = environment;
    this.#lines = lineSink;
    this.#models = createLocalModels(createLog('info', lineSink));
    this.#pool = new WorkerPool(createInProcessStores(), this.#models, [
      lostLinesGauge(lineSink),
      ...modelGauges(this.#models),
    ]);
    // In turn, which is the same on every system; and with bytes that arrive as bytes.
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({
      exec: fileURLToPath(new URL('./worker.ts', import.meta.url)),
      args: [],
      serialization: 'advanced',
    });
  }

  /** Starts workers with the settings as they are now; those from before leave when all the new ones serve. */
  async start(): Promise<PrimaryStartResult> {
    const environment = loadEnvironment(this.#environment);
    const settings = readSettings(environment);
    // Once, before several processes want to make the same file.
    new RootSecrets(settings);
    const workerGroup = new WorkerGroup({
      pool: this.#pool,
      startOptions: {
        environment,
        startedAtMs: this.#startedAtMs,
        isJoining: this.#databaseLocation === databaseLocationOf(settings),
      },
      size: settings.workers,
      log: createLog(settings.logLevel, this.#lines),
    });
    this.#groups.add(workerGroup);
    try {
      const workerStartResult = await workerGroup.start();
      const before = this.#current;
      this.#current = workerGroup;
      this.#databaseLocation = databaseLocationOf(settings);
      if (before !== undefined) await this.#handOver(before, settings.drainMs);
      return { ...workerStartResult, settings };
    } catch (thrown) {
      this.#groups.delete(workerGroup);
      throw thrown;
    }
  }

  /** Resolves when new connections go elsewhere: whoever is told of the reload finds what is new. */
  async #handOver(workerGroup: WorkerGroup, drainMs: number): Promise<void> {
    await workerGroup.stopAccepting();
    void workerGroup.handOver(limits.handOverMs).then(() => this.#groups.delete(workerGroup));
    const [oldest] = this.#groups;
    if (this.#groups.size > limits.crewsMax) void oldest?.drain(drainMs).then(() => oldest.close());
  }

  /** The file of the log was moved away. */
  reopenLogs(): Promise<void> {
    return this.#forEachGroup((workerGroup) => workerGroup.reopenLogs());
  }

  /** Tells balancers to go elsewhere, while all workers serve on. */
  announceShutdown(): Promise<void> {
    return this.#forEachGroup((workerGroup) => workerGroup.announceShutdown());
  }

  /**
   * Resolves when all workers are over. All of them listen until no call is open any more: connections that come while
   * the last listener closes may be held without an answer, and that must be when this process ends, too.
   */
  async close(graceMs: number): Promise<void> {
    await this.#forEachGroup((workerGroup) => workerGroup.drain(graceMs));
    await this.#forEachGroup((workerGroup) => workerGroup.close());
    await this.#models.close();
  }

  async kill(): Promise<void> {
    await Promise.all([this.#models.close(), this.#forEachGroup((workerGroup) => workerGroup.kill())]);
  }

  async #forEachGroup(work: (workerGroup: WorkerGroup) => Promise<void>): Promise<void> {
    await Promise.all([...this.#groups].map(work));
  }
}

function databaseLocationOf({ stores, dataDir }: Settings): string {
  return stores?.database ?? dataDir;
}
