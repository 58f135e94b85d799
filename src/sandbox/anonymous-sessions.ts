import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { countAttemptByAddress } from '../kernel/address-attempts.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { AnonSession, AnonSessions } from '../kernel/ports/sandbox.ts';
import type { RateLimiter } from '../kernel/ports/shared-state.ts';
import { addressBlock } from '../lib/address-block.ts';
import type { Clock } from '../lib/clock.ts';
import { limits } from './limits.ts';

export interface AnonymousSessionParts {
  readonly sessions: AnonSessions;
  readonly rateLimiter: RateLimiter;
  readonly clock: Clock;
  /** Keys for token hashes: the current one, then older ones. */
  readonly tokenKeys: readonly [Uint8Array, ...Uint8Array[]];
  readonly addressKey: Uint8Array;
  readonly refKey: Uint8Array;
  readonly terms: {
    readonly limit: number;
    readonly ttlMs: number;
    readonly sessionsPerHour: number;
  };
  /** Called if a request could not be given back. */
  onFault(cause: unknown): void;
}

export interface IssuedSession {
  readonly session: AnonSession;
  /** Returned this once only. */
  readonly token: string;
}

const tokenPattern = /^anon_[\w-]{43}$/;

/** Sessions of users without an account: counts their requests, and stores nothing that identifies them. */
export class AnonymousSessions {
  readonly #parts: AnonymousSessionParts;
  /** Requests being given back; the next count waits for them. */
  readonly #pendingRefunds = new Set<Promise<void>>();

  constructor(parts: AnonymousSessionParts) {
    this.#parts = parts;
  }

  /** Runs before a session is created; rejects an address that creates too many. */
  async limitCreation(remoteAddress: string): Promise<void> {
    const { rateLimiter, terms } = this.#parts;
    const retryAfterSeconds = await countAttemptByAddress(rateLimiter, {
      address: remoteAddress,
      counterName: (block) => `anon:${hmac(this.#parts.addressKey, block)}`,
      most: terms.sessionsPerHour,
      seconds: 3600,
    });
    if (retryAfterSeconds > 0)
      throw new GatewayError(
        'too_many_attempts',
        `an address can create ${terms.sessionsPerHour} anonymous sessions an hour; retry in ${retryAfterSeconds} s`,
        { retryAfterSeconds },
      );
  }

  async create(remoteAddress: string): Promise<IssuedSession> {
    const { sessions, clock, terms, tokenKeys, refKey } = this.#parts;
    const token = `anon_${randomBytes(32).toString('base64url')}`;
    const id = randomUUID();
    const nowMs = clock.now();
    const session: AnonSession = {
      id,
      sessionRef: hmac(refKey, id),
      requestLimit: terms.limit,
      requestsUsed: 0,
      expiresAtMs: nowMs + terms.ttlMs,
      revokedAtMs: null,
    };
    const hashes = { tokenHash: hmac(tokenKeys[0], token), addressHash: this.#addressHash(remoteAddress) };
    await sessions.add({ ...session, ...hashes }, nowMs - limits.anonSessionKeptMs);
    return { session, token };
  }

  /** Undefined if there never was a session with this token, or if it was deleted. */
  async find(token: string): Promise<AnonSession | undefined> {
    if (!tokenPattern.test(token)) return undefined;
    return this.#parts.sessions.byToken(this.#parts.tokenKeys.map((key) => hmac(key, token)));
  }

  /** Rejects an expired or revoked session. */
  checkOpen(session: AnonSession): void {
    const fault = this.#rejectionOf(session);
    if (fault !== undefined) throw fault;
  }

  /** The session with this id, if the token belongs to it. */
  async authenticate(id: string, token: string | undefined): Promise<AnonSession> {
    checkSessionId(id);
    const session = token === undefined ? undefined : await this.find(token);
    if (session === undefined || session.id !== id.toLowerCase())
      throw invalidToken('send the token of this session as "authorization: Bearer <anon_token>"');
    this.checkOpen(session);
    return session;
  }

  byId(id: string): Promise<AnonSession | undefined> {
    checkSessionId(id);
    return this.#parts.sessions.byId(id.toLowerCase());
  }

  /** Counts a request, or returns why the session has none left. */
  async take({ id }: AnonSession): Promise<GatewayError | undefined> {
    const { sessions, clock } = this.#parts;
    if (this.#pendingRefunds.size > 0) await Promise.all(this.#pendingRefunds);
    const bounds = { nowMs: clock.now(), givenBackMax: limits.sandboxGivenBackMax };
    if (await sessions.take(id, bounds)) return undefined;
    return this.#rejectionOf(await sessions.byId(id)) ?? limitExceeded();
  }

  giveBack({ id }: AnonSession): void {
    const { sessions, onFault } = this.#parts;
    const giving = sessions.giveBack(id).catch(onFault);
    this.#pendingRefunds.add(giving);
    void giving.then(() => this.#pendingRefunds.delete(giving));
  }

  revoke({ id }: AnonSession): Promise<void> {
    return this.#parts.sessions.revoke(id, this.#parts.clock.now());
  }

  /** Resolves when nothing is being given back. */
  async waitForRefunds(): Promise<void> {
    await Promise.all(this.#pendingRefunds);
  }

  #rejectionOf(session: AnonSession | undefined): GatewayError | undefined {
    if (session === undefined || session.revokedAtMs !== null)
      return invalidToken('this anonymous session was revoked');
    if (session.expiresAtMs > this.#parts.clock.now()) return undefined;
    return new GatewayError(
      'session_expired',
      'this anonymous session has expired; create another with POST /v1/anon/sessions',
      { shouldRetry: false },
    );
  }

  #addressHash(remoteAddress: string): string {
    return hmac(this.#parts.addressKey, addressBlock(remoteAddress));
  }
}

export function invalidToken(message: string): GatewayError {
  return new GatewayError('invalid_anon_token', message);
}

function limitExceeded(): GatewayError {
  return new GatewayError(
    'request_limit_exceeded',
    'this anonymous session has no requests left; sign up or create another session',
    { shouldRetry: false },
  );
}

/** A database may reject other values in a lookup. */
function checkSessionId(id: string): void {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id))
    throw new GatewayError(
      'invalid_session_id',
      'a session id is a UUID, as returned by POST /v1/anon/sessions',
    );
}

function hmac(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}
