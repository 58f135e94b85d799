import { randomBytes } from 'node:crypto';
import type { Versions } from '../../kernel/ports/shared-state.ts';
import { limits } from '../limits.ts';
import { keys } from './keys.ts';
import type { RedisConnection } from './redis-connection.ts';

const versionLifeMs = String(limits.versionLifeMs);

export class RedisVersions implements Versions {
  readonly #connection: RedisConnection;
  readonly #processId = randomBytes(12).toString('base64url');
  #versionsCreated = 0;
  /** Accounts whose renewal may not have reached Redis. */
  readonly #pendingRenewals = new Set<string>();

  constructor(connection: RedisConnection) {
    this.#connection = connection;
    connection.onUp(() => this.#retryRenewals());
  }

  /** Returns a version that is unique across processes. */
  createVersion(): string {
    return `${this.#processId}.${this.#versionsCreated++}`;
  }

  async of(accountId: string): Promise<string> {
    const fresh = this.createVersion();
    const existing = await this.#connection.send([
      'SET',
      keys.version(accountId),
      fresh,
      'NX',
      'GET',
      'PX',
      versionLifeMs,
    ]);
    return typeof existing === 'string' ? existing : fresh;
  }

  /** A failed renewal is retried when Redis is back, because the change behind it has already happened. */
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
    // A renewal that fails here stays pending.
    for (const accountId of this.#pendingRenewals) this.renew(accountId).catch(() => undefined);
  }
}
