import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { wholeEnvironment } from '../cli/settings-from.ts';
import type { LocalModels } from '../embeddings/local-models.ts';
import { localModels, modelGauges } from '../gateway/local-models.ts';
import { ownMemory } from '../gateway/memory.ts';
import { Roots } from '../gateway/secrets.ts';
import { type Environment, readSettings, type Settings } from '../gateway/settings.ts';
import { systemClock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import { createLog, type Lines, lostLines } from '../telemetry/log.ts';
import { Crew } from './crew.ts';
import type { Started } from './questions.ts';
import { Workforce } from './workforce.ts';

export interface Serving extends Started {
  readonly settings: Settings;
}

/** The process that has the port and the shared memory, and starts those that serve. */
export class Primary {
  readonly #environment: Environment;
  readonly #lines: Lines;
  readonly #workforce: Workforce;
  readonly #models: LocalModels;
  readonly #startedAtMs = systemClock.now();
  readonly #crews = new Set<Crew>();
  #current: Crew | undefined;
  /** The database that has been served with. */
  #home: string | undefined;

  constructor(environment: Environment, lines: Lines) {
    this.#environment = environment;
    this.#lines = lines;
    this.#models = localModels(createLog('info', lines));
    this.#workforce = new Workforce(ownMemory(), this.#models, [
      lostLines(lines),
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
  async start(): Promise<Serving> {
    const environment = wholeEnvironment(this.#environment);
    const settings = readSettings(environment);
    // Once, before several processes want to make the same file.
    new Roots(settings);
    const crew = new Crew({
      workforce: this.#workforce,
      order: { environment, startedAtMs: this.#startedAtMs, isJoining: this.#home === homeOf(settings) },
      size: settings.workers,
      log: createLog(settings.logLevel, this.#lines),
    });
    this.#crews.add(crew);
    try {
      const started = await crew.start();
      const before = this.#current;
      this.#current = crew;
      this.#home = homeOf(settings);
      if (before !== undefined) await this.#handOver(before, settings.drainMs);
      return { ...started, settings };
    } catch (thrown) {
      this.#crews.delete(crew);
      throw thrown;
    }
  }

  /** Resolves when new connections go elsewhere: whoever is told of the reload finds what is new. */
  async #handOver(crew: Crew, drainMs: number): Promise<void> {
    await crew.leave();
    void crew.handOver(limits.handOverMs).then(() => this.#crews.delete(crew));
    const [oldest] = this.#crews;
    if (this.#crews.size > limits.crewsMax) void oldest?.drain(drainMs).then(() => oldest.close());
  }

  /** The file of the log was moved away. */
  reopenLogs(): Promise<void> {
    return this.#each((crew) => crew.reopenLogs());
  }

  /** Tells balancers to go elsewhere, while all workers serve on. */
  announce(): Promise<void> {
    return this.#each((crew) => crew.announce());
  }

  /**
   * Resolves when all workers are over. All of them listen until no call is open any more: connections that come while
   * the last listener closes may be held without an answer, and that must be when this process ends, too.
   */
  async close(graceMs: number): Promise<void> {
    await this.#each((crew) => crew.drain(graceMs));
    await this.#each((crew) => crew.close());
    await this.#models.close();
  }

  async kill(): Promise<void> {
    await Promise.all([this.#models.close(), this.#each((crew) => crew.kill())]);
  }

  async #each(work: (crew: Crew) => Promise<void>): Promise<void> {
    await Promise.all([...this.#crews].map(work));
  }
}

function homeOf({ stores, dataDir }: Settings): string {
  return stores?.database ?? dataDir;
}
