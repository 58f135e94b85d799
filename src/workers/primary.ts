import cluster from 'node:cluster';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { LocalModels } from '../embeddings/local-models.ts';
import { createInProcessStores } from '../gateway/ephemeral-stores.ts';
import { createLocalModels, modelGauges } from '../gateway/local-models.ts';
import { RootSecrets } from '../gateway/secrets.ts';
import type { Environment, Settings } from '../gateway/settings.ts';
import type { SettingsChange } from '../kernel/ports/reload.ts';
import { systemClock } from '../lib/clock.ts';
import type { LoadedSettings } from '../process/load-settings.ts';
import { createLog, type LineSink, lostLinesGauge } from '../telemetry/log.ts';
import { Connector } from './confined/connector.ts';
import { guardListening } from './confined/guard-messages.ts';
import { canConfine, confinedOptions } from './confined/permissions.ts';
import { limits } from './limits.ts';
import type { PrimaryMethods, WorkerStartResult } from './rpc-methods.ts';
import { WorkerGroup } from './worker-group.ts';
import { WorkerPool } from './worker-pool.ts';

export interface PrimaryStartResult extends WorkerStartResult {
  readonly settings: Settings;
}

/** The primary process: owns the port and the shared state, and starts the workers. */
export class Primary {
  readonly #lines: LineSink;
  readonly #pool: WorkerPool;
  readonly #models: LocalModels;
  readonly #startedAtMs = systemClock.now();
  readonly #groups = new Set<WorkerGroup>();
  #current: WorkerGroup | undefined;
  /** The database that workers have used. */
  #databaseLocation: string | undefined;

  constructor(lineSink: LineSink, reload: PrimaryMethods['reload']) {
    this.#lines = lineSink;
    this.#models = createLocalModels(createLog('info', lineSink));
    this.#pool = new WorkerPool({
      memory: createInProcessStores(),
      models: this.#models,
      gauges: [lostLinesGauge(lineSink), ...modelGauges(this.#models)],
      reload,
    });
    // Round robin on every system; `advanced` keeps buffers as bytes.
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({
      exec: fileURLToPath(new URL('./worker.ts', import.meta.url)),
      args: [],
      serialization: 'advanced',
    });
  }

  /** Starts workers with these settings; the previous ones leave once all new ones serve. */
  async start(
    { settings, environment: given }: LoadedSettings,
    settingsChange?: SettingsChange,
  ): Promise<PrimaryStartResult> {
    cluster.setupPrimary({ execArgv: process.execArgv });
    this.#pool.onForked = undefined;
    const environment = settings.isAirgapped ? await this.#confine(given, settings) : given;
    // Creates the secret before several processes try to.
    new RootSecrets(settings);
    const workerGroup = new WorkerGroup({
      pool: this.#pool,
      startOptions: {
        environment,
        startedAtMs: this.#startedAtMs,
        isJoining: this.#databaseLocation === databaseLocationOf(settings),
        settingsChange,
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

  /** Prepares workers without a network of their own; their host must be an address, since they can't look up names. */
  async #confine(environment: Environment, settings: Settings): Promise<Environment> {
    const log = createLog(settings.logLevel, this.#lines);
    if (!canConfine()) {
      log.warn({ node: process.version }, noPermissions);
      return environment;
    }
    const { AllowedTargets } = await import('./confined/allowed-targets.ts');
    const allowed = new AllowedTargets(settings);
    const connector = new Connector({ allowed, isPublicOnly: settings.mode === 'cloud', log });
    const host = isIP(settings.host) === 0 ? (await lookup(settings.host)).address : settings.host;
    const listener = { host, port: settings.port };
    const onRefused = () => log.error({}, 'refused to listen on another address for code in a worker');
    this.#pool.onForked = (worker) => {
      connector.serve(worker);
      guardListening(worker.process, listener, onRefused);
    };
    cluster.setupPrimary({ execArgv: [...confinedOptions(settings)] });
    return { ...environment, HOST: host };
  }

  /** Resolves when only the new workers get connections. */
  async #handOver(workerGroup: WorkerGroup, drainMs: number): Promise<void> {
    await workerGroup.stopAccepting();
    void workerGroup.handOver(limits.handOverMs).then(() => this.#groups.delete(workerGroup));
    const [oldest] = this.#groups;
    if (this.#groups.size > limits.crewsMax) void oldest?.drain(drainMs).then(() => oldest.close());
  }

  /** Reopens the log file after rotation. */
  reopenLogs(): Promise<void> {
    return this.#forEachGroup((workerGroup) => workerGroup.reopenLogs());
  }

  /** Reports not ready to load balancers, while all workers keep serving. */
  announceShutdown(): Promise<void> {
    return this.#forEachGroup((workerGroup) => workerGroup.announceShutdown());
  }

  /**
   * Resolves when all workers have ended. All of them listen until no call is open: connections that arrive while the
   * last listener closes may get no response, so that must happen at the very end.
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

const noPermissions =
  'WEIR_AIRGAP: this Node.js has no permissions for the network, so only the egress holds modules back; use Node.js 26.6 or newer';

function databaseLocationOf({ stores, dataDir }: Settings): string {
  return stores?.database ?? dataDir;
}
