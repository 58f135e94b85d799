import { hash } from 'node:crypto';
import type { Attempts } from '../../kernel/ports/shared-state.ts';
import { keys } from './keys.ts';
import type { RedisLink } from './redis-link.ts';
import { attemptScript } from './scripts.ts';

/** Windows under hashed names, since names are addresses of people. */
export class RedisAttempts implements Attempts {
  readonly #link: RedisLink;

  constructor(link: RedisLink) {
    this.#link = link;
  }

  async count(name: string, limit: { readonly most: number; readonly seconds: number }): Promise<number> {
    const values = [String(limit.most), String(Math.ceil(limit.seconds * 1000))];
    const waitMs = await this.#link.run(attemptScript, [nameOf(name)], values);
    return Math.ceil(Number(waitMs) / 1000);
  }

  async forget(name: string): Promise<void> {
    await this.#link.ask(['DEL', nameOf(name)]);
  }
}

function nameOf(name: string): string {
  return keys.attempts(hash('sha256', name, 'base64url'));
}
