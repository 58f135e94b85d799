import { createHmac, timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';

/** A credential that can't be printed by accident: only `reveal` returns it. */
export class Secret {
  readonly #value: string;
  /** The last created one: most credentials are used repeatedly. */
  #keyedDigest = '';
  #digestKey: Uint8Array | undefined;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  /** Compares in constant time. */
  equals(other: string): boolean {
    const key = 'equals';
    const digest = (value: string) => createHmac('sha256', key).update(value).digest();
    return timingSafeEqual(digest(this.#value), digest(other));
  }

  /** A keyed digest of this credential, for cache keys. */
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
