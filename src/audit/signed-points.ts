import type { ChainPoint, SignedPoint } from '../kernel/ports/audit.ts';
import type { JsonObject } from '../lib/json.ts';
import { canonicalJson } from './canonical-json.ts';
import { parseObject } from './parse-object.ts';

/** The key of receipts. */
export interface PointSigner {
  /** Its id in `/.well-known/jwks.json`. */
  readonly id: string;
  /** Resolves to a compact JWS. */
  sign(payload: string): Promise<string>;
}

/**
 * What a statement says: `head`, that the chain had this newest entry; `start`, that an export begins after this entry;
 * `removal`, that the retention has removed all entries up to this one.
 */
type PointKind = 'head' | 'start' | 'removal';

interface PointToSign {
  readonly kind: PointKind;
  readonly chain: string;
  readonly point: Pick<ChainPoint, 'number' | 'hash'>;
  readonly atMs: number;
}

export async function signPoint(
  signer: PointSigner,
  { kind, chain, point, atMs }: PointToSign,
): Promise<SignedPoint> {
  const { number, hash } = point;
  const signedAt = new Date(atMs).toISOString();
  const statement = { audit: kind, chain, number, hash, signed_at: signedAt, key_id: signer.id };
  return { number, atMs, jws: await signer.sign(canonicalJson(statement)) };
}

/** The statement with its signature. */
export async function signStatement(signer: PointSigner, statement: JsonObject): Promise<JsonObject> {
  return { ...statement, signature: await signer.sign(canonicalJson(statement)) };
}

/** The fields of a statement with their signature, read from the signed text itself; only the signature if it was tampered with. */
export function statementOf({ jws }: Pick<SignedPoint, 'jws'>): JsonObject {
  const [, payload = ''] = jws.split('.');
  return { ...parseObject(Buffer.from(payload, 'base64url').toString('utf8')), signature: jws };
}
