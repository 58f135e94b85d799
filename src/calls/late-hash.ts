import { createHash, type Hash, hash } from 'node:crypto';
import { limits } from '../kernel/limits.ts';

/** A SHA-256 of bytes that go by, reckoned when they are all there: nobody waits for it, and one piece takes a third of the time. */
export class LateHash {
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #hash: Hash | undefined;

  /** The bytes must not change afterwards. */
  add(piece: Uint8Array | string): void {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    this.#held.push(bytes);
    this.#heldBytes += bytes.byteLength;
    if (this.#heldBytes > limits.unhashedBytesMax) this.#fold();
  }

  /** In hexadecimal; once. */
  digest(): string {
    const [only] = this.#held;
    if (this.#hash === undefined && only !== undefined)
      return hash('sha256', this.#held.length === 1 ? only : Buffer.concat(this.#held));
    return this.#fold().digest('hex');
  }

  #fold(): Hash {
    this.#hash ??= createHash('sha256');
    for (const bytes of this.#held) this.#hash.update(bytes);
    this.#held = [];
    this.#heldBytes = 0;
    return this.#hash;
  }
}
