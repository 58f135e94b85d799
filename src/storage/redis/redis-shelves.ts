import { hash, randomBytes } from 'node:crypto';
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

  /** Names in Redis can't be listed by scope: what was put under another mark than today's is as good as gone. */
  async forget(scope: string): Promise<void> {
    const mark = randomBytes(markBytes / 2).toString('hex');
    await this.#link.ask(['SET', markOf(scope), mark, 'PX', String(markLifeMs)]);
  }

  shelf(scope: string): Shelf {
    const name = (key: string) => nameOf(scope, key);
    return {
      get: async (key) => {
        const both = await unlessAway(this.#link.askForBytes(['MGET', name(key), markOf(scope)]));
        const [kept, mark] = Array.isArray(both) ? both : [];
        if (!(kept instanceof Uint8Array)) return undefined;
        return bufferOf(kept.subarray(0, markBytes)).equals(markIn(mark))
          ? kept.subarray(markBytes)
          : undefined;
      },
      put: (key, value, ttlSeconds) => this.#put(scope, name(key), { value, ttlSeconds }),
      // Not having forgotten is no miss: this one fails.
      delete: async (key) => {
        await this.#link.ask(['DEL', name(key)]);
      },
    };
  }

  async #put(scope: string, name: string, { value, ttlSeconds }: Put): Promise<void> {
    const { byteLength } = value;
    const tooMuch =
      byteLength > limits.shelfValueBytesMax || this.#pendingBytes + byteLength > limits.shelfPendingBytesMax;
    const lifeMs = Math.floor(ttlSeconds * 1000);
    if (tooMuch || lifeMs < 1) {
      // What can't be kept must not leave an older value in its place.
      await unlessAway(this.#link.ask(['DEL', name]));
      return;
    }
    this.#pendingBytes += byteLength;
    const mark = markIn(await unlessAway(this.#link.askForBytes(['GET', markOf(scope)])));
    await unlessAway(this.#link.ask(['SET', name, Buffer.concat([mark, value]), 'PX', String(lifeMs)]));
    this.#pendingBytes -= byteLength;
  }
}

interface Put {
  readonly value: Uint8Array;
  readonly ttlSeconds: number;
}

/** What every value begins with. */
const markBytes = 16;
const firstMark = Buffer.alloc(markBytes, '0');
/** Longer than anything is kept. */
const markLifeMs = 40 * 86_400_000;

function markIn(answer: unknown): Buffer {
  return answer instanceof Uint8Array && answer.byteLength === markBytes ? bufferOf(answer) : firstMark;
}

function markOf(scope: string): string {
  return keys.shelfMark(shelfHash(scope));
}

function nameOf(scope: string, key: string): string {
  return keys.shelf(shelfHash(scope), hash('sha256', key, 'base64url'));
}

/** What a shelf is called in Redis. */
export function shelfHash(scope: string): string {
  return hash('sha256', scope, 'base64url');
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
