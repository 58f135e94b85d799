import { hash } from 'node:crypto';
import { GatewayError } from '../../kernel/errors.ts';
import { limits } from '../../kernel/limits.ts';
import type { Shelf, Shelves } from '../../kernel/ports/shelves.ts';
import { keys } from './keys.ts';
import type { RedisLink } from './redis-link.ts';

/** Shelves that all replicas share. A shelf is a cache: while Redis is away it is empty, and nothing is kept. */
export class RedisShelves implements Shelves {
  readonly #link: RedisLink;
  #pendingBytes = 0;

  /** The link should be its own: what is kept can be large, and nothing that is in a hurry should queue behind it. */
  constructor(link: RedisLink) {
    this.#link = link;
  }

  /** Bytes that are on their way to Redis. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  shelf(scope: string): Shelf {
    const name = (key: string) => nameOf(scope, key);
    return {
      get: async (key) => {
        const kept = await unlessAway(this.#link.askForBytes(['GET', name(key)]));
        return kept instanceof Uint8Array ? kept : undefined;
      },
      put: (key, value, ttlSeconds) => this.#put(name(key), value, ttlSeconds),
      // Not having forgotten is no miss: this one fails.
      delete: async (key) => {
        await this.#link.ask(['DEL', name(key)]);
      },
    };
  }

  async #put(name: string, value: Uint8Array, ttlSeconds: number): Promise<void> {
    const { byteLength } = value;
    const tooMuch =
      byteLength > limits.shelfValueBytesMax || this.#pendingBytes + byteLength > limits.shelfPendingBytesMax;
    const lifeMs = Math.floor(ttlSeconds * 1000);
    // What can't be kept must not leave an older value in its place.
    const command =
      tooMuch || lifeMs < 1
        ? (['DEL', name] as const)
        : (['SET', name, bufferOf(value), 'PX', String(lifeMs)] as const);
    this.#pendingBytes += tooMuch ? 0 : byteLength;
    await unlessAway(this.#link.ask(command));
    this.#pendingBytes -= tooMuch ? 0 : byteLength;
  }
}

function nameOf(scope: string, key: string): string {
  return keys.shelf(hash('sha256', `${scope.length}:${scope}${key}`, 'base64url'));
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

async function unlessAway(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (GatewayError.is(error)) return undefined;
    throw error;
  }
}
