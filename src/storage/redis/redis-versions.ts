import { randomBytes } from 'node:crypto';
import { limits } from '../../kernel/limits.ts';
import type { Versions } from '../../kernel/ports/shared-state.ts';
import { keys } from './keys.ts';
import type { RedisLink } from './redis-link.ts';

const life = String(limits.versionLifeMs);

export class RedisVersions implements Versions {
  readonly #link: RedisLink;
  readonly #process = randomBytes(12).toString('base64url');
  #made = 0;
  /** Accounts whose renewal Redis may not have seen. */
  readonly #owed = new Set<string>();

  constructor(link: RedisLink) {
    this.#link = link;
    link.whenUp(() => this.#makeUp());
  }

  /** One that nobody else makes, nor this process again. */
  fresh(): string {
    return `${this.#process}.${this.#made++}`;
  }

  async of(accountId: string): Promise<string> {
    const fresh = this.fresh();
    const kept = await this.#link.ask(['SET', keys.version(accountId), fresh, 'NX', 'GET', 'PX', life]);
    return typeof kept === 'string' ? kept : fresh;
  }

  /** One that fails is made up for when Redis is back, since what it was for has happened already. */
  async renew(accountId: string): Promise<void> {
    this.#owed.add(accountId);
    for (const oldest of this.#owed) {
      if (this.#owed.size <= limits.owedRenewalsMax) break;
      this.#owed.delete(oldest);
    }
    await this.#link.ask(['SET', keys.version(accountId), this.fresh(), 'PX', life]);
    this.#owed.delete(accountId);
  }

  #makeUp(): void {
    // One that fails here stays owed.
    for (const accountId of this.#owed) this.renew(accountId).catch(() => undefined);
  }
}
