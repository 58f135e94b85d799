import { randomBytes } from 'node:crypto';
import { limits } from '../../kernel/limits.ts';
import type { Versions } from '../../kernel/ports/shared-state.ts';
import { keys } from './keys.ts';
import type { RedisConnection } from './redis-connection.ts';

const versionLifeMs = String(limits.versionLifeMs);

export class RedisVersions implements Versions {
  readonly #connection: RedisConnection;
  readonly #processId = randomBytes(12).toString('base64url');
  #versionsCreated = 0;
  /** Accounts whose renewal Redis may not have seen. */
  readonly #pendingRenewals = new Set<string>();

  constructor(link: RedisConnection) {
    this.#connection = link;
    link.onUp(() => this.#retryRenewals());
  }

  /** One that nobody else makes, nor this process again. */
  createVersion(): string {
    return `${this.#processId}.${this.#versionsCreated++}`;
  }

  async of(accountId: string): Promise<string> {
    const fresh = this.createVersion();
    const kept = await this.#connection.send([
      'SET',
      keys.version(accountId),
      fresh,
      'NX',
      'GET',
      'PX',
      versionLifeMs,
    ]);
    return typeof kept === 'string' ? kept : fresh;
  }

  /** One that fails is made up for when Redis is back, since what it was for has happened already. */
  async renew(accountId: string): Promise<void> {
    this.#pendingRenewals.add(accountId);
    for (const oldest of this.#pendingRenewals) {
      if (this.#pendingRenewals.size <= limits.pendingRenewalsMax) break;
      this.#pendingRenewals.delete(oldest);
    }
    await this.#connection.send(['SET', keys.version(accountId), this.createVersion(), 'PX', versionLifeMs]);
    this.#pendingRenewals.delete(accountId);
  }

  #retryRenewals(): void {
    // One that fails here stays owed.
    for (const accountId of this.#pendingRenewals) this.renew(accountId).catch(() => undefined);
  }
}
