import type { ModuleHost } from '../kernel/module.ts';
import type { EgressFetch } from '../kernel/ports/fetch.ts';
import type { ModuleStores } from '../kernel/ports/module-store.ts';
import type { VectorStores } from '../kernel/ports/vectors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../telemetry/log.ts';

interface ModuleHostsParts {
  readonly clock: Clock;
  readonly log: Log;
  settings: ModuleHost['settings'];
  /** The `fetch` of a module. */
  fetchFor(module: string): EgressFetch;
}

/** Services for the data of accounts. */
export interface AccountServices {
  readonly stores: ModuleStores;
  readonly vectors: VectorStores;
  hasCall: ModuleHost['hasCall'];
}

/** A host whose stores and requests belong to one module. */
export interface OwnModuleHost extends ModuleHost {
  /** Called with the name of the module once it has been created. */
  bind(module: string): void;
}

/** The services of all modules for the lifetime of the gateway. */
export class ModuleHosts {
  readonly #parts: ModuleHostsParts;
  readonly #log: ModuleHost['log'];
  readonly #hosts = new Map<string, ModuleHost>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #services: AccountServices | undefined;
  #closed = false;

  constructor(parts: ModuleHostsParts) {
    this.#parts = parts;
    const { log } = parts;
    this.#log = {
      info: (message, facts) => log.info({ ...facts }, message),
      error: (message, facts) => log.error({ ...facts }, message),
    };
  }

  create(): OwnModuleHost {
    const { clock, settings, fetchFor } = this.#parts;
    let name: string | undefined;
    const owned = () => {
      const services = this.#services;
      if (name === undefined || services === undefined)
        throw new Error('data of accounts can be used once the gateway has started');
      return { module: name, ...services };
    };
    const host: OwnModuleHost = {
      clock,
      settings,
      log: this.#log,
      every: (pauseMs, run) => this.#every(pauseMs, run),
      fetch: async (input, init) => {
        if (name === undefined) throw new Error('host.fetch works once the module is created');
        return fetchFor(name)(input, init);
      },
      store(scope) {
        const { module, stores } = owned();
        return stores.store(module, scope);
      },
      vectors(scope) {
        const { module, vectors } = owned();
        return vectors.vectors(module, scope);
      },
      hasCall: (...call) => owned().hasCall(...call),
      bind: (module) => {
        name = module;
        this.#hosts.set(module, host);
      },
    };
    return host;
  }

  of(module: string): ModuleHost {
    const host = this.#hosts.get(module);
    if (host === undefined) throw new Error(`there is no module "${module}"`);
    return host;
  }

  /** Called when the parts with the data of accounts have started. */
  connect(services: AccountServices): void {
    this.#services = services;
  }

  #every(pauseMs: number, run: () => void | Promise<void>): void {
    if (this.#closed) return;
    const timer = setTimeout(async () => {
      this.#timers.delete(timer);
      try {
        await run();
      } catch (fault) {
        this.#log.error('a periodic task of a module failed', { err: fault });
      }
      this.#every(pauseMs, run);
    }, pauseMs).unref();
    this.#timers.add(timer);
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
