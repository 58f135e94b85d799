/** Who wants nothing but providers to be connected to: the operator for all calls, or the pipeline of this call. */
export type AirgapLevel = 'instance' | 'call';

/** Where the gateway connected to for one call in an airgap. */
export class EgressRecord {
  readonly airgap: AirgapLevel;
  /** Requests and connections that were not made. */
  refused = 0;
  readonly #requests = new Map<string, number>();

  constructor(airgap: AirgapLevel) {
    this.airgap = airgap;
  }

  /** A request to a provider; the host has a port if it is an unusual one. */
  addRequest(host: string): void {
    this.#requests.set(host, (this.#requests.get(host) ?? 0) + 1);
  }

  /** The number of requests by host. */
  get requests(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#requests);
  }
}
