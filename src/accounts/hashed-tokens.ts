import { randomUUID } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import { limits } from './limits.ts';
import { hashToken } from './link-token.ts';
import { TokenFormat } from './token-format.ts';

interface StoredToken {
  readonly id: string;
  readonly usedAtMs: number | null;
}

interface HashedTokensParts<Token> {
  readonly table: {
    byHash(hash: string, nowMs: number, accountId: string): Promise<Token | undefined>;
    touch(id: string, atMs: number): Promise<void>;
  };
  readonly keyPrefix: string;
  readonly kind: 'scim' | 'service';
  readonly clock: Clock;
}

/** Credentials of one kind, of which only the hash is stored. */
export class HashedTokens<Token extends StoredToken> {
  readonly #parts: HashedTokensParts<Token>;
  readonly #format: TokenFormat;

  constructor(parts: HashedTokensParts<Token>) {
    this.#parts = parts;
    this.#format = new TokenFormat(parts.keyPrefix, parts.kind);
  }

  /** What is stored of a new one, and its secret, which is shown only once. */
  create() {
    const secret = this.#format.generate();
    const createdAtMs = this.#parts.clock.now();
    return { secret, stored: { id: randomUUID(), hash: hashToken(secret), createdAtMs, usedAtMs: null } };
  }

  /** Also notes its use. With an account, one of another takes as long as none. */
  async find(secret: string, accountId = ''): Promise<Token | undefined> {
    if (!this.#format.matches(secret)) return undefined;
    const { table, clock } = this.#parts;
    const nowMs = clock.now();
    const token = await table.byHash(hashToken(secret), nowMs, accountId);
    // Not awaited; a failure does not matter.
    if (token !== undefined && (token.usedAtMs === null || nowMs - token.usedAtMs >= limits.sessionUseMs))
      table.touch(token.id, nowMs).catch(() => undefined);
    return token;
  }
}
