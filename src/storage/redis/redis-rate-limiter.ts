import { hash } from 'node:crypto';
import type { RateLimiter } from '../../kernel/ports/shared-state.ts';
import { keys } from './keys.ts';
import type { RedisConnection } from './redis-connection.ts';
import { rateLimitScript } from './scripts.ts';

/** Windows are stored under hashed names, because names contain IP and email addresses. */
export class RedisRateLimiter implements RateLimiter {
  readonly #connection: RedisConnection;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  async count(name: string, limit: { readonly most: number; readonly seconds: number }): Promise<number> {
    const values = [String(limit.most), String(Math.ceil(limit.seconds * 1000))];
    const waitMs = await this.#connection.runScript(rateLimitScript, [rateLimitKey(name)], () => values);
    return Math.ceil(Number(waitMs) / 1000);
  }

  async forget(name: string): Promise<void> {
    await this.#connection.send(['DEL', rateLimitKey(name)]);
  }
}

function rateLimitKey(name: string): string {
  return keys.rateLimit(hash('sha256', name, 'base64url'));
}
