import { GatewayError } from '../kernel/errors.ts';
import type { Receipts } from '../kernel/ports/receipts.ts';
import type { Clock } from '../lib/clock.ts';
import type { AnonymousSessions } from './anonymous-sessions.ts';

export interface ClaimParts {
  readonly sessions: Pick<AnonymousSessions, 'byId'>;
  readonly receipts: Pick<Receipts, 'claim' | 'countOfSession'>;
  readonly clock: Clock;
}

export interface ClaimResult {
  readonly sessionId: string;
  /** The current number of receipts; later ones belong to the same account. */
  readonly receipts: number;
  readonly claimedAtMs: number;
}

/** Lets accounts claim the receipts of their anonymous sessions: once, without changing any receipt. */
export class Claims {
  readonly #parts: ClaimParts;

  constructor(parts: ClaimParts) {
    this.#parts = parts;
  }

  /** Idempotent for the same account; works for expired and revoked sessions, too. */
  async claim(accountId: string, sessionId: string): Promise<ClaimResult> {
    const { sessions, receipts, clock } = this.#parts;
    const session = await sessions.byId(sessionId);
    if (session === undefined) throw new GatewayError('not_found', 'there is no such anonymous session');
    const { id, sessionRef } = session;
    const held = await receipts.claim({ sessionId: id, sessionRef, accountId, claimedAtMs: clock.now() });
    if (held.accountId !== accountId)
      throw new GatewayError('already_claimed', 'another account has claimed this session', {
        param: 'session_id',
      });
    return {
      sessionId: id,
      receipts: await receipts.countOfSession(sessionRef),
      claimedAtMs: held.claimedAtMs,
    };
  }
}
