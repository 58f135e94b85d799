import { createPrivateKey, createPublicKey } from 'node:crypto';
import { CompactSign, calculateJwkThumbprint, type JWK } from 'jose';

/** An Ed25519 key that signs receipts, derived from a secret. */
export class SigningKey {
  /** Its thumbprint (RFC 7638), which identifies the key. */
  readonly id: string;
  /** The public key. */
  readonly publicJwk: JWK;
  readonly #key: CryptoKey;

  private constructor(id: string, publicJwk: JWK, key: CryptoKey) {
    this.id = id;
    this.publicJwk = publicJwk;
    this.#key = key;
  }

  static async from(secret: Uint8Array): Promise<SigningKey> {
    const der = Buffer.concat([pkcs8Start, secret]);
    const secretKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const { kty = '', crv = '', x = '' } = createPublicKey(secretKey).export({ format: 'jwk' });
    const id = await calculateJwkThumbprint({ kty, crv, x });
    const publicJwk = { kty, crv, x, kid: id, alg: 'EdDSA', use: 'sig' };
    const key = await crypto.subtle.importKey('pkcs8', der, 'Ed25519', false, ['sign']);
    return new SigningKey(id, publicJwk, key);
  }

  /** A compact JWS, signed on another thread. */
  sign(payload: string): Promise<string> {
    return new CompactSign(Buffer.from(payload))
      .setProtectedHeader({ alg: 'EdDSA', kid: this.id })
      .sign(this.#key);
  }
}

/** The PKCS #8 header before the 32 bytes of an Ed25519 key (RFC 8410). */
const pkcs8Start = Buffer.from('302e020100300506032b657004220420', 'hex');
