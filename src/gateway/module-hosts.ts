import type { ModuleHost } from '../kernel/module.ts';
import type { ModuleStores } from '../kernel/ports/module-store.ts';
import type { VectorStores } from '../kernel/ports/vectors.ts';
import type { GatewayModuleHost } from './module-host.ts';

/** Services for the data of accounts. */
export interface AccountServices {
  readonly stores: ModuleStores;
  readonly vectors: VectorStores;
  hasCall: ModuleHost['hasCall'];
}

/** A host whose stores belong to one module. */
export interface OwnModuleHost extends ModuleHost {
  /** Called with the name of the module once it has been created. */
  bind(module: string): void;
}

/** The hosts of all modules of a gateway. */
export class ModuleHosts {
  readonly #shared: GatewayModuleHost;
  readonly #hosts = new Map<string, ModuleHost>();
  #services: AccountServices | undefined;

  constructor(shared: GatewayModuleHost) {
    this.#shared = shared;
  }

  create(): OwnModuleHost {
    const shared = this.#shared;
    let name: string | undefined;
    const owned = () => {
      const services = this.#services;
      if (name === undefined || services === undefined)
        throw new Error('data of accounts can be used once the gateway has started');
      return { module: name, ...services };
    };
    const host: OwnModuleHost = {
      clock: shared.clock,
      log: shared.log,
      settings: shared.settings,
      every: (pauseMs, run) => shared.every(pauseMs, run),
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
}
