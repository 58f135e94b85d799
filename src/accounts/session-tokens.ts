import { randomUUID } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { IdentityId, Member, Role } from '../kernel/ports/identities.ts';
import type { Sessions, SignOnSession, StoredSession } from '../kernel/ports/sessions.ts';
import type { Clock } from '../lib/clock.ts';
import { limits } from './limits.ts';

/** A person who is logged in to an account, or a service account with a token, until it expires. */
export interface Session {
  /** The person, or the service account. */
  readonly identityId: IdentityId;
  readonly isService?: true;
  readonly accountId: string;
  readonly role: Role;
  readonly tokenId: string;
  readonly expiresAtMs: number;
  /** Undefined after a login. */
  readonly signOn?: SignOnSession | undefined;
}

export interface IssuedToken {
  readonly token: string;
  readonly expiresAtMs: number;
}

export interface SessionTokenParts {
  /** The signing key, followed by older keys that are still accepted. */
  readonly keys: readonly [Uint8Array, ...Uint8Array[]];
  readonly sessions: Sessions;
  readonly clock: Clock;
}

const algorithm = 'HS256';
const issuer = 'weir';
const audience = 'weir-session';

/** Issues, verifies and revokes session tokens. */
export class SessionTokens {
  readonly #parts: SessionTokenParts;

  constructor(parts: SessionTokenParts) {
    this.#parts = parts;
  }

  /** Undefined if the person is locked out or the password has changed. `client` is the user agent. */
  async issue(
    { identity, account }: Member,
    client: string,
    signOn?: SignOnSession,
  ): Promise<IssuedToken | undefined> {
    const { keys, sessions, clock } = this.#parts;
    // Tokens use whole seconds.
    const issuedAt = Math.floor(clock.now() / 1000);
    const expiresAt = issuedAt + limits.sessionLifeMs / 1000;
    const nowMs = clock.now();
    const session: StoredSession = {
      id: randomUUID(),
      identityId: identity.id,
      accountId: account.id,
      client: clientName(client),
      createdAtMs: nowMs,
      usedAtMs: nowMs,
      expiresAtMs: expiresAt * 1000,
      signOn,
    };
    const passwordHash = signOn === undefined ? identity.passwordHash : undefined;
    if (!(await sessions.begin(session, passwordHash, limits.sessionsMax))) return undefined;
    const token = await new SignJWT()
      .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
      .setSubject(account.id)
      .setJti(session.id)
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(keys[0]);
    return { token, expiresAtMs: expiresAt * 1000 };
  }

  /** Undefined unless it is a valid token of ours. */
  async verify(token: string): Promise<Session | undefined> {
    if (!isCompact(token)) return undefined;
    const claims = claimsOf(await this.#payloadOf(token));
    if (claims === undefined) return undefined;
    const { sessions, clock } = this.#parts;
    const stored = await sessions.find(claims.tokenId);
    if (stored?.accountId !== claims.accountId) return undefined;
    const nowMs = clock.now();
    // Not awaited; a failure does not matter.
    if (nowMs - stored.usedAtMs >= limits.sessionUseMs)
      sessions.touch(stored.id, nowMs).catch(() => undefined);
    const { identityId, role, signOn } = stored;
    return { ...claims, identityId, role, ...(signOn !== undefined && { signOn }) };
  }

  /** After a single sign-on, those in the same account. */
  /** Whether a person has a session with this program. */
  async hasClient(identityId: IdentityId, client: string): Promise<boolean> {
    const all = await this.#parts.sessions.list(identityId, this.#parts.clock.now());
    return all.some((session) => session.client === clientName(client));
  }

  async list({ identityId, accountId, signOn }: Session): Promise<readonly StoredSession[]> {
    const all = await this.#parts.sessions.list(identityId, this.#parts.clock.now());
    return signOn === undefined ? all : all.filter((session) => session.accountId === accountId);
  }

  /** Ends a session of the same person by its id; false if there is none. */
  end({ identityId }: Session, id: string): Promise<boolean> {
    return this.#parts.sessions.end(identityId, id);
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

/** The user agent as it is stored. */
function clientName(userAgent: string): string {
  return userAgent.slice(0, limits.sessionClientCharacters).toWellFormed();
}

/** Whether the parts are canonical base64url (RFC 7515, 2): lenient decoders accept several spellings of one token. */
function isCompact(token: string): boolean {
  return token
    .split('.')
    .every((part) => part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part);
}

function claimsOf(
  payload: JWTPayload | undefined,
): Omit<Session, 'identityId' | 'role' | 'signOn'> | undefined {
  const { sub, jti, exp } = payload ?? {};
  if (sub === undefined || jti === undefined || exp === undefined) return undefined;
  return { accountId: sub, tokenId: jti, expiresAtMs: exp * 1000 };
}
