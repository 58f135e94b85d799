import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { GatewayProcess, Processes } from '../kernel/ports/processes.ts';
import type { Clock } from '../lib/clock.ts';
import { type Check, degraded, failing, passed, reasonOf } from '../telemetry/diagnostics.ts';
import { limits } from './limits.ts';

interface ProcessRegistryParts {
  readonly processes: Processes;
  readonly clock: Clock;
  readonly version: string;
  readonly revision: string;
}

/** Tells the other processes of a gateway about this one. A failed write is made up for by the next. */
export class ProcessRegistry {
  readonly #parts: ProcessRegistryParts;
  readonly #own: Omit<GatewayProcess, 'seenAtMs' | 'configuration'>;
  #configuration: string | null = null;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  constructor(parts: ProcessRegistryParts) {
    const { version, revision, clock } = parts;
    this.#parts = parts;
    this.#own = {
      id: randomUUID(),
      host: hostname(),
      pid: process.pid,
      version,
      revision,
      startedAtMs: clock.now(),
    };
  }

  /** Calls don't wait for it. */
  start(): void {
    const see = () => {
      this.#writing = this.#seeAndTidy().catch(() => undefined);
    };
    see();
    this.#timer = setInterval(see, limits.processSeenMs).unref();
  }

  /** New calls are served with this version of the settings from now on. */
  use(configuration: string): void {
    this.#configuration = configuration;
    this.#writing = (this.#writing ?? Promise.resolve()).then(() => this.#see()).catch(() => undefined);
  }

  /** Processes that were seen lately, this one included. */
  list(): Promise<readonly GatewayProcess[]> {
    return this.#parts.processes.list(this.#parts.clock.now() - limits.processLostMs);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    await this.#parts.processes.remove(this.#own.id).catch(() => undefined);
  }

  get checks(): readonly Check[] {
    return [this.#versionCheck(), this.#writeCheck()];
  }

  #versionCheck(): Check {
    return {
      name: 'processes',
      run: async () => {
        const running = await this.list();
        const builds = new Set(running.map(({ version, revision }) => `${version} (${revision})`));
        const hosts = new Set(running.map(({ host }) => host));
        const settings = new Set(running.flatMap(({ configuration }) => configuration ?? []));
        const where = hosts.size === 1 ? 'one machine' : `${hosts.size} machines`;
        const detail = `${running.length} on ${where}, version ${[...builds].join(', ')}, settings ${[...settings].join(', ')}`;
        if (builds.size <= 1) return passed(detail);
        return degraded(detail, 'finish the update: all replicas should run one version');
      },
    };
  }

  /** Writes the row of this process, which changes nothing else. */
  #writeCheck(): Check {
    return {
      name: 'database writes',
      run: async () => {
        try {
          await this.#see();
        } catch (thrown) {
          return failing(
            reasonOf(thrown),
            'make the database writable: check its disk, permissions, and whether it is a read-only replica',
          );
        }
        return passed('a row was written');
      },
    };
  }

  async #seeAndTidy(): Promise<void> {
    await this.#see();
    await this.#parts.processes.removeLost(this.#parts.clock.now() - limits.processLostMs);
  }

  #see(): Promise<void> {
    const { processes, clock } = this.#parts;
    return processes.see({ ...this.#own, configuration: this.#configuration, seenAtMs: clock.now() });
  }
}
