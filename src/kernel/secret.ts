import { createHmac, timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';

/** A credential that can't be printed by accident: only `reveal` gives it away. */
export class Secret {
  readonly #value: string;
  /** The last one that was made: most credentials are used again and again. */
  #keyedDigest = '';
  #digestKey: Uint8Array | undefined;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  /** Compares in a time that tells nothing about the value. */
  equals(other: string): boolean {
    const key = 'equals';
    const digest = (value: string) => createHmac('sha256', key).update(value).digest();
    return timingSafeEqual(digest(this.#value), digest(other));
  }

  /** A name for this credential that only the holder of `key` can make, for cache keys. */
  keyedDigest(key: Uint8Array): string {
    if (this.#digestKey !== key) {
      this.#digestKey = key;
      this.#keyedDigest = createHmac('sha256', key).update(this.#value).digest('base64url');
    }
    return this.#keyedDigest;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}
