import { hash, randomBytes } from 'node:crypto';
import { GatewayError } from '../../kernel/errors.ts';
import { limits } from '../../kernel/limits.ts';
import type { CacheBackend, ScopedCache } from '../../kernel/ports/scoped-cache.ts';
import { keys } from './keys.ts';
import type { RedisConnection } from './redis-connection.ts';

/** Shelves that all replicas share. A shelf is a cache: while Redis is away it is empty, and nothing is kept. */
export class RedisCacheBackend implements CacheBackend {
  readonly #connection: RedisConnection;
  #pendingBytes = 0;

  /** The link should be its own: what is kept can be large, and nothing that is in a hurry should queue behind it. */
  constructor(link: RedisConnection) {
    this.#connection = link;
  }

  /** Bytes that are on their way to Redis. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Names in Redis can't be listed by scope: what was put under another mark than today's is as good as gone. */
  async clear(scope: string): Promise<void> {
    const mark = randomBytes(generationBytes / 2).toString('hex');
    await this.#connection.send(['SET', generationKey(scope), mark, 'PX', String(generationLifeMs)]);
  }

  cacheFor(scope: string): ScopedCache {
    const name = (key: string) => entryKey(scope, key);
    return {
      get: async (key) => {
        const both = await ignoreUnavailable(
          this.#connection.sendForBytes(['MGET', name(key), generationKey(scope)]),
        );
        const [kept, mark] = Array.isArray(both) ? both : [];
        if (!(kept instanceof Uint8Array)) return undefined;
        return bufferOf(kept.subarray(0, generationBytes)).equals(parseGeneration(mark))
          ? kept.subarray(generationBytes)
          : undefined;
      },
      put: (key, value, ttlSeconds) => this.#put(scope, name(key), { value, ttlSeconds }),
      // Not having forgotten is no miss: this one fails.
      delete: async (key) => {
        await this.#connection.send(['DEL', name(key)]);
      },
    };
  }

  async #put(scope: string, name: string, { value, ttlSeconds }: CacheWrite): Promise<void> {
    const { byteLength } = value;
    const tooMuch =
      byteLength > limits.cacheValueBytesMax || this.#pendingBytes + byteLength > limits.cachePendingBytesMax;
    const lifeMs = Math.floor(ttlSeconds * 1000);
    if (tooMuch || lifeMs < 1) {
      // What can't be kept must not leave an older value in its place.
      await ignoreUnavailable(this.#connection.send(['DEL', name]));
      return;
    }
    this.#pendingBytes += byteLength;
    const mark = parseGeneration(
      await ignoreUnavailable(this.#connection.sendForBytes(['GET', generationKey(scope)])),
    );
    await ignoreUnavailable(
      this.#connection.send(['SET', name, Buffer.concat([mark, value]), 'PX', String(lifeMs)]),
    );
    this.#pendingBytes -= byteLength;
  }
}

interface CacheWrite {
  readonly value: Uint8Array;
  readonly ttlSeconds: number;
}

/** What every value begins with. */
const generationBytes = 16;
const initialGeneration = Buffer.alloc(generationBytes, '0');
/** Longer than anything is kept. */
const generationLifeMs = 40 * 86_400_000;

function parseGeneration(answer: unknown): Buffer {
  return answer instanceof Uint8Array && answer.byteLength === generationBytes
    ? bufferOf(answer)
    : initialGeneration;
}

function generationKey(scope: string): string {
  return keys.cacheGeneration(scopeHash(scope));
}

function entryKey(scope: string, key: string): string {
  return keys.cacheEntry(scopeHash(scope), hash('sha256', key, 'base64url'));
}

/** What a shelf is called in Redis. */
export function scopeHash(scope: string): string {
  return hash('sha256', scope, 'base64url');
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

async function ignoreUnavailable(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (GatewayError.is(error)) return undefined;
    throw error;
  }
}
