import { idOf, type Provider, type ProviderTimeouts } from '../kernel/provider.ts';
import type { Egress, Reach } from './egress.ts';
import { EgressError } from './egress-error.ts';
import type { Endpoint } from './endpoint.ts';
import { limits } from './limits.ts';

/** An address that requests may go to. */
export interface ProviderAddress {
  readonly baseUrl: string;
  readonly reach: Reach;
  /** The provider whose proxy, certificates and time limits its connections have; any provider may use an address without one. */
  readonly provider?: Pick<Provider, 'name' | 'timeouts' | 'ownId'>;
}

/** The name of accounts' own providers in `WEIR_EGRESS_ALLOW`, and the purpose of their connections. */
export const accountProvidersPurpose = 'account-providers';

interface ProviderEgressParts {
  readonly egress: Egress;
  /** Base URLs of providers, and the token endpoint. */
  readonly addresses: readonly ProviderAddress[];
  /** The reach of a provider's site, whose address depends on the key. */
  siteReach?(provider: string, baseUrl: string): Reach;
  readonly silenceMs: number;
}

/** Connections to providers: only to the given addresses and to provider sites. */
export class ProviderEgress {
  readonly #parts: ProviderEgressParts;
  /** By base URL, then by provider. */
  readonly #endpoints = new Map<string, Map<string | undefined, Endpoint>>();
  /** Endpoints that depend on the key, least recently used first. */
  readonly #sites = new Map<string, Endpoint>();

  constructor(parts: ProviderEgressParts) {
    this.#parts = parts;
    for (const { baseUrl, reach, provider } of parts.addresses) {
      const byProvider = this.#endpoints.get(baseUrl) ?? new Map<string | undefined, Endpoint>();
      this.#endpoints.set(baseUrl, byProvider);
      byProvider.set(provider?.name, this.#open(baseUrl, reach, provider));
    }
  }

  /** `baseUrl` if it differs from the provider's default. */
  endpointFor(provider: Provider, baseUrl = provider.baseUrl): Endpoint {
    if (provider.ownId !== undefined) return this.#ownEndpoint(provider, baseUrl);
    const byProvider = this.#endpoints.get(baseUrl);
    const endpoint = byProvider?.get(provider.name) ?? byProvider?.get(undefined);
    if (endpoint !== undefined) return endpoint;
    if (provider.sites?.test(baseUrl) === true) return this.#siteEndpoint(provider, baseUrl);
    throw this.#addressError(provider, baseUrl);
  }

  /** An account's provider has no address, connection, proxy or certificate of another one's. */
  #ownEndpoint(provider: Provider, baseUrl: string): Endpoint {
    if (baseUrl === provider.baseUrl || provider.sites?.test(baseUrl) === true)
      return this.#siteEndpoint(provider, baseUrl);
    throw this.#addressError(provider, baseUrl);
  }

  /** One of the addresses from the constructor. */
  endpointAt(baseUrl: string): Endpoint {
    const [endpoint] = this.#endpoints.get(baseUrl)?.values() ?? [];
    if (endpoint === undefined)
      throw this.#notAllowedError(baseUrl, 'connections to this address are not allowed');
    return endpoint;
  }

  #siteEndpoint(provider: Provider, baseUrl: string): Endpoint {
    const { siteReach = () => 'public' } = this.#parts;
    const key = `${idOf(provider)} ${baseUrl}`;
    const name = provider.ownId === undefined ? provider.name : accountProvidersPurpose;
    const site = this.#sites.get(key) ?? this.#open(baseUrl, siteReach(name, baseUrl), provider);
    this.#sites.delete(key);
    this.#sites.set(key, site);
    if (this.#sites.size > limits.customOriginsMax) this.#closeOldestSite();
    return site;
  }

  #closeOldestSite(): void {
    const [oldest] = this.#sites;
    if (oldest === undefined) return;
    const [key, site] = oldest;
    this.#sites.delete(key);
    this.#parts.egress.closeEndpoint(site);
  }

  #open(url: string, reach: Reach, provider: ProviderAddress['provider']): Endpoint {
    const { egress, silenceMs } = this.#parts;
    const timeouts: ProviderTimeouts = provider?.timeouts ?? {};
    const isOwn = provider?.ownId !== undefined;
    return egress.openEndpoint({
      purpose: isOwn ? accountProvidersPurpose : 'provider',
      url,
      reach,
      silenceMs: timeouts.silenceMs ?? silenceMs,
      answerMs: timeouts.answerMs,
      connectMs: timeouts.connectMs,
      ...(isOwn ? { isOwn } : provider !== undefined && { provider: provider.name }),
    });
  }

  #addressError({ name }: Provider, baseUrl: string): EgressError {
    return this.#notAllowedError(baseUrl, `connections to this address of ${name} are not allowed`);
  }

  #notAllowedError(baseUrl: string, message: string): EgressError {
    return this.#parts.egress.refuse('provider', baseUrl, new EgressError('EGRESS_NOT_ALLOWED', message));
  }
}
