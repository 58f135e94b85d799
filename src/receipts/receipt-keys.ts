import type { JWK } from 'jose';
import type { Receipts } from '../kernel/ports/receipts.ts';
import type { Clock } from '../lib/clock.ts';
import { isJsonObject } from '../lib/json.ts';
import { SigningKey } from './signing-key.ts';

export interface PublicKeySet {
  readonly keys: readonly JWK[];
}

/** The signing key, published with all earlier ones, which stay for as long as there are receipts. */
export class ReceiptKeys {
  readonly current: SigningKey;
  readonly #receipts: Pick<Receipts, 'keys'>;

  private constructor(current: SigningKey, receipts: Pick<Receipts, 'keys'>) {
    this.current = current;
    this.#receipts = receipts;
  }

  /** Publishes the keys of these secrets; the first one signs. */
  static async open(
    secrets: readonly [Uint8Array, ...Uint8Array[]],
    receipts: Pick<Receipts, 'keys' | 'addKey'>,
    clock: Clock,
  ): Promise<ReceiptKeys> {
    const [current, ...previous] = [
      await SigningKey.from(secrets[0]),
      ...(await Promise.all(secrets.slice(1).map(SigningKey.from))),
    ];
    // In this order, so that the signing key is the newest even on the first start.
    for (const { id, publicJwk } of [...previous, current])
      await receipts.addKey({ id, jwk: JSON.stringify(publicJwk), createdAtMs: clock.now() });
    return new ReceiptKeys(current, receipts);
  }

  /** For `/.well-known/jwks.json`, the newest first. */
  async publicKeySet(): Promise<PublicKeySet> {
    const keys = await this.#receipts.keys();
    return { keys: keys.map(({ jwk }) => parseJwk(jwk)) };
  }
}

function parseJwk(text: string): JWK {
  const jwk: unknown = JSON.parse(text);
  return isJsonObject(jwk) ? { ...jwk, kty: String(jwk.kty) } : { kty: '' };
}
