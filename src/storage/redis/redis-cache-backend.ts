import { hash, randomBytes } from 'node:crypto';
import { GatewayError } from '../../kernel/errors.ts';
import type { CacheBackend, ScopedCache } from '../../kernel/ports/scoped-cache.ts';
import { limits } from '../limits.ts';
import { keys } from './keys.ts';
import type { RedisConnection } from './redis-connection.ts';

/** A cache that all replicas share. While Redis is unavailable it is empty and stores nothing. */
export class RedisCacheBackend implements CacheBackend {
  readonly #connection: RedisConnection;
  #pendingBytes = 0;

  /** Needs a connection of its own: values can be large, and urgent commands should not queue behind them. */
  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  /** Bytes being written to Redis. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Redis can't list keys by scope, so this starts a new generation: entries of older ones are ignored until they expire. */
  async clear(scope: string): Promise<void> {
    const generation = randomBytes(generationBytes / 2).toString('hex');
    await this.#connection.send(['SET', generationKey(scope), generation, 'PX', String(generationLifeMs)]);
  }

  cacheFor(scope: string): ScopedCache {
    const name = (key: string) => entryKey(scope, key);
    return {
      get: async (key) => {
        const replies = await ignoreUnavailable(
          this.#connection.sendForBytes(['MGET', name(key), generationKey(scope)]),
        );
        const [stored, generation] = Array.isArray(replies) ? replies : [];
        if (!(stored instanceof Uint8Array)) return undefined;
        return bufferOf(stored.subarray(0, generationBytes)).equals(parseGeneration(generation))
          ? stored.subarray(generationBytes)
          : undefined;
      },
      put: (key, value, ttlSeconds) => this.#put(scope, name(key), { value, ttlSeconds }),
      // A failed delete must not look like success, so this throws.
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
      // If the new value can't be stored, the old one must not remain.
      await ignoreUnavailable(this.#connection.send(['DEL', name]));
      return;
    }
    this.#pendingBytes += byteLength;
    const generation = parseGeneration(
      await ignoreUnavailable(this.#connection.sendForBytes(['GET', generationKey(scope)])),
    );
    await ignoreUnavailable(
      this.#connection.send(['SET', name, Buffer.concat([generation, value]), 'PX', String(lifeMs)]),
    );
    this.#pendingBytes -= byteLength;
  }
}

interface CacheWrite {
  readonly value: Uint8Array;
  readonly ttlSeconds: number;
}

/** Every value starts with its generation. */
const generationBytes = 16;
const initialGeneration = Buffer.alloc(generationBytes, '0');
/** Longer than the lifetime of any entry. */
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

/** The name of a scope in Redis keys. */
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
