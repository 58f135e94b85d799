import { Resolver } from 'node:dns/promises';
import { limits } from './limits.ts';

/** Looks up TXT records, at the servers of the machine or others. */
export class TextRecords {
  readonly #servers: readonly string[];

  constructor(servers: readonly string[]) {
    this.#servers = servers;
  }

  /** Empty if the name has none; rejects if no server answers. */
  async of(name: string): Promise<readonly string[]> {
    const resolver = new Resolver({ timeout: limits.dnsTimeoutMs, tries: 2 });
    if (this.#servers.length > 0) resolver.setServers(this.#servers);
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
    } catch (error) {
      const { code } = Object(error);
      if (code === 'ENOTFOUND' || code === 'ENODATA') return [];
      throw error;
    }
  }
}
