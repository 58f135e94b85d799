import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

export interface SealedBytes {
  /** The name of the key it was sealed with. */
  readonly sealedBy: string;
  /** Nonce, ciphertext and tag, concatenated. */
  readonly sealed: Uint8Array;
}

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Seals with the first key, opens with any of them. Content sealed in one context can't be opened in another. */
export class Sealer {
  /** The name of the sealing key. */
  readonly currentKeyId: string;
  readonly #key: Uint8Array;
  readonly #keys: ReadonlyMap<string, Uint8Array>;

  constructor(keys: readonly [Uint8Array, ...Uint8Array[]]) {
    this.#key = keys[0];
    this.currentKeyId = sealingKeyId(keys[0]);
    this.#keys = new Map(keys.map((key) => [sealingKeyId(key), key]));
  }

  seal(content: string | Uint8Array, context: string): SealedBytes {
    const nonce = randomBytes(nonceBytes);
    const sealing = createCipheriv(cipher, this.#key, nonce, { authTagLength: tagBytes });
    sealing.setAAD(Buffer.from(context));
    const sealed = Buffer.concat([
      nonce,
      typeof content === 'string' ? sealing.update(content, 'utf8') : sealing.update(content),
      sealing.final(),
      sealing.getAuthTag(),
    ]);
    return { sealedBy: this.currentKeyId, sealed };
  }

  /** Undefined if none of our keys opens it in this context. */
  open(sealedBytes: SealedBytes, context: string): string | undefined {
    return this.openBytes(sealedBytes, context)?.toString('utf8');
  }

  openBytes({ sealedBy, sealed }: SealedBytes, context: string): Buffer | undefined {
    const key = this.#keys.get(sealedBy);
    if (key === undefined || sealed.byteLength < nonceBytes + tagBytes) return undefined;
    const tagAt = sealed.byteLength - tagBytes;
    const opening = createDecipheriv(cipher, key, sealed.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    opening.setAAD(Buffer.from(context));
    opening.setAuthTag(sealed.subarray(tagAt));
    const content = opening.update(sealed.subarray(nonceBytes, tagAt));
    try {
      return Buffer.concat([content, opening.final()]);
    } catch {
      // The tag doesn't match: the bytes or the context differ.
      return undefined;
    }
  }
}

/** Identifies a key without revealing it. */
function sealingKeyId(key: Uint8Array): string {
  return hash('sha256', Buffer.concat([Buffer.from('weir sealing key'), key])).slice(0, 16);
}
