import type { EgressFetch } from '../kernel/ports/fetch.ts';
import { refusalInAirgap } from './airgapped-calls.ts';
import type { AllowList } from './allow-list.ts';
import type { Egress, Reach } from './egress.ts';

interface ModuleFetchParts {
  readonly egress: Egress;
  /** Undefined in local mode, where modules may connect to every address. */
  readonly allowList: AllowList | undefined;
  /** Headers of every request that doesn't set them. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The `fetch` of each module, created on first use. */
export class ModuleFetches {
  readonly #parts: ModuleFetchParts;
  readonly #byModule = new Map<string, EgressFetch>();

  constructor(parts: ModuleFetchParts) {
    this.#parts = parts;
  }

  fetchFor(module: string): EgressFetch {
    const existing = this.#byModule.get(module);
    if (existing !== undefined) return existing;
    const { egress, allowList, headers } = this.#parts;
    const reachOf = (origin: string): Reach | undefined =>
      allowList === undefined ? 'any' : allowList.reachOf(module, origin);
    const purpose = `module:${module}`;
    const open = egress.openFetch({ purpose, reachOf, headers });
    const fetch: EgressFetch = async (input, init) => {
      const url = URL.parse(input instanceof Request ? input.url : input);
      const refusal = url === null ? undefined : refusalInAirgap(purpose, url.host);
      if (url !== null && refusal !== undefined) throw egress.refuse(purpose, url.href, refusal);
      return open(input, init);
    };
    this.#byModule.set(module, fetch);
    return fetch;
  }
}
