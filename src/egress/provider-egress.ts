import type { Provider } from '../kernel/provider.ts';
import type { Egress, Reach } from './egress.ts';
import { EgressError } from './egress-error.ts';
import type { Endpoint } from './endpoint.ts';
import { limits } from './limits.ts';

interface ProviderEgressParts {
  readonly egress: Egress;
  /** Base URLs of providers, and the token endpoint. */
  readonly addresses: ReadonlyMap<string, Reach>;
  /** The reach of a provider's site, whose address depends on the key. */
  siteReach?(provider: string, baseUrl: string): Reach;
  readonly silenceMs: number;
  /** The provider of a base URL. */
  readonly providers?: ReadonlyMap<string, string>;
}

/** Connections to providers: only to the given addresses and to provider sites. */
export class ProviderEgress {
  readonly #parts: ProviderEgressParts;
  readonly #endpoints = new Map<string, Endpoint>();
  /** Endpoints that depend on the key, least recently used first. */
  readonly #sites = new Map<string, Endpoint>();

  constructor(parts: ProviderEgressParts) {
    this.#parts = parts;
    for (const [baseUrl, reach] of parts.addresses) this.#endpoints.set(baseUrl, this.#open(baseUrl, reach));
  }

  /** `baseUrl` if it differs from the provider's default. */
  endpointFor(provider: Provider, baseUrl = provider.baseUrl): Endpoint {
    const endpoint = this.#endpoints.get(baseUrl);
    if (endpoint !== undefined) return endpoint;
    if (provider.sites?.test(baseUrl) === true) return this.#siteEndpoint(provider.name, baseUrl);
    throw this.#notAllowedError(baseUrl, `connections to this address of ${provider.name} are not allowed`);
  }

  /** One of the addresses from the constructor. */
  endpointAt(baseUrl: string): Endpoint {
    const endpoint = this.#endpoints.get(baseUrl);
    if (endpoint === undefined)
      throw this.#notAllowedError(baseUrl, 'connections to this address are not allowed');
    return endpoint;
  }

  #siteEndpoint(provider: string, baseUrl: string): Endpoint {
    const { siteReach = () => 'public' } = this.#parts;
    const site = this.#sites.get(baseUrl) ?? this.#open(baseUrl, siteReach(provider, baseUrl), provider);
    this.#sites.delete(baseUrl);
    this.#sites.set(baseUrl, site);
    if (this.#sites.size > limits.customOriginsMax) this.#closeOldestSite();
    return site;
  }

  #closeOldestSite(): void {
    const [oldest] = this.#sites;
    if (oldest === undefined) return;
    const [baseUrl, site] = oldest;
    this.#sites.delete(baseUrl);
    this.#parts.egress.closeEndpoint(site);
  }

  #open(url: string, reach: Reach, provider = this.#parts.providers?.get(url)): Endpoint {
    const { egress, silenceMs } = this.#parts;
    const purpose = 'provider';
    return egress.openEndpoint({
      purpose,
      url,
      reach,
      silenceMs,
      ...(provider !== undefined && { provider }),
    });
  }

  #notAllowedError(baseUrl: string, message: string): EgressError {
    return this.#parts.egress.refuse('provider', baseUrl, new EgressError('EGRESS_NOT_ALLOWED', message));
  }
}
