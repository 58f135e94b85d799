import type { ModuleHost } from '../kernel/module.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../telemetry/log.ts';

interface HostParts {
  readonly clock: Clock;
  readonly log: Log;
  settings: ModuleHost['settings'];
}

/** The services that all modules share for the lifetime of the gateway. */
export class GatewayModuleHost implements Omit<ModuleHost, 'store' | 'vectors' | 'hasCall'> {
  readonly clock: Clock;
  readonly log: ModuleHost['log'];
  readonly settings: ModuleHost['settings'];
  readonly #timers = new Set<NodeJS.Timeout>();
  #closed = false;

  constructor({ clock, log, settings }: HostParts) {
    this.clock = clock;
    this.settings = settings;
    this.log = {
      info: (message, facts) => log.info({ ...facts }, message),
      error: (message, facts) => log.error({ ...facts }, message),
    };
  }

  every(pauseMs: number, run: () => void | Promise<void>): void {
    if (this.#closed) return;
    const timer = setTimeout(async () => {
      this.#timers.delete(timer);
      try {
        await run();
      } catch (fault) {
        this.log.error('a periodic task of a module failed', { err: fault });
      }
      this.every(pauseMs, run);
    }, pauseMs).unref();
    this.#timers.add(timer);
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
