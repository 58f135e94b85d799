import { randomUUID } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { EndedSessions } from '../kernel/ports/records.ts';

/** Somebody who logged in, for as long as the token lasts. */
export interface Session {
  readonly accountId: string;
  readonly tokenId: string;
  readonly expiresAtMs: number;
}

export interface IssuedToken {
  readonly token: string;
  readonly expiresAtMs: number;
}

export interface SessionTokenParts {
  /** The key that signs, then those that are still believed. */
  readonly keys: readonly [Uint8Array, ...Uint8Array[]];
  readonly endedSessions: EndedSessions;
  readonly clock: Clock;
}

const algorithm = 'HS256';
const issuer = 'weir';
const audience = 'weir-session';

/** Makes, checks and ends what a user's browser or script shows instead of a password. */
export class SessionTokens {
  readonly #parts: SessionTokenParts;

  constructor(parts: SessionTokenParts) {
    this.#parts = parts;
  }

  async issue(accountId: string): Promise<IssuedToken> {
    const { keys, clock } = this.#parts;
    // Tokens count in seconds.
    const issuedAt = Math.floor(clock.now() / 1000);
    const expiresAt = issuedAt + limits.sessionLifeMs / 1000;
    const token = await new SignJWT()
      .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
      .setSubject(accountId)
      .setJti(randomUUID())
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(keys[0]);
    return { token, expiresAtMs: expiresAt * 1000 };
  }

  /** Undefined for whatever isn't a token of ours that still holds. */
  async verify(token: string): Promise<Session | undefined> {
    if (!isCompact(token)) return undefined;
    const session = sessionOf(await this.#payloadOf(token));
    if (session === undefined) return undefined;
    return (await this.#parts.endedSessions.has(session.tokenId)) ? undefined : session;
  }

  async end({ tokenId, expiresAtMs }: Session): Promise<void> {
    await this.#parts.endedSessions.add(tokenId, expiresAtMs, this.#parts.clock.now());
  }

  async #payloadOf(token: string): Promise<JWTPayload | undefined> {
    for (const key of this.#parts.keys) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [algorithm],
          issuer,
          audience,
          requiredClaims: ['sub', 'jti', 'iat', 'exp'],
          currentDate: new Date(this.#parts.clock.now()),
        });
        return payload;
      } catch (refusal) {
        if (!(refusal instanceof errors.JOSEError)) throw refusal;
        if (!(refusal instanceof errors.JWSSignatureVerificationFailed)) return undefined;
      }
    }
    return undefined;
  }
}

/** Whether the parts are written in the one way there is (RFC 7515, 2): lenient decoders take more for the same token. */
function isCompact(token: string): boolean {
  return token
    .split('.')
    .every((part) => part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part);
}

function sessionOf(payload: JWTPayload | undefined): Session | undefined {
  const { sub, jti, exp } = payload ?? {};
  if (sub === undefined || jti === undefined || exp === undefined) return undefined;
  return { accountId: sub, tokenId: jti, expiresAtMs: exp * 1000 };
}
