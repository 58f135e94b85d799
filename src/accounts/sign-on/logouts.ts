import { decodeJwt, errors, type JWTPayload } from 'jose';
import { GatewayError } from '../../kernel/errors.ts';
import type { RateLimiter } from '../../kernel/ports/shared-state.ts';
import type { SignOnAdmissions, SignOns } from '../../kernel/ports/sign-on.ts';
import { countAddressAttempt } from '../count-attempt.ts';
import { limits } from '../limits.ts';
import { type Issuers, keysOf } from './issuers.ts';

export interface LogoutsParts {
  readonly signOns: Pick<SignOns, 'find'>;
  readonly admissions: Pick<SignOnAdmissions, 'endSessions'>;
  readonly issuers: Issuers;
  readonly counts: RateLimiter;
}

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';
const ageSecondsMax = 600;

/** OpenID Connect Back-Channel Logout 1.0: an identity provider ends sessions. */
export class Logouts {
  readonly #parts: LogoutsParts;

  constructor(parts: LogoutsParts) {
    this.#parts = parts;
  }

  count(address: string): Promise<void> {
    return countAddressAttempt(this.#parts.counts, {
      ...{ address, counterName: (block: string) => `sign-on logout:${block}` },
      ...limits.logoutsPerAddress,
    });
  }

  /** The number of sessions that ended. Once this resolves, they are valid on no replica. */
  async end(accountId: string, token: string): Promise<number> {
    const { signOns, admissions, issuers, counts } = this.#parts;
    const signOn = await signOns.find(accountId);
    if (signOn === undefined) throw invalidError('there is no single sign-on here');
    // The keys are those of the configured issuer, whatever the token says.
    if (issuerOf(token) !== signOn.issuer) throw invalidError('it is of another issuer');
    const { metadata } = await issuers.discover(signOn).catch((cause: unknown) => {
      throw new GatewayError('upstream_unreachable', 'the issuer can’t be reached', { cause });
    });
    const claims = await issuers.keySets
      .verify(token, keysOf(metadata), {
        issuer: signOn.issuer,
        audience: signOn.clientId,
        requiredClaims: ['iat', 'exp', 'jti', 'events'],
        maxTokenAge: ageSecondsMax,
      })
      .catch((cause: unknown) => {
        throw cause instanceof errors.JOSEError ? invalidError(cause.message) : cause;
      });
    const { sub: subject, sid, jti } = claims;
    checkLogout(claims);
    const name = `sign-on logout:${accountId}:${jti}`;
    if ((await counts.count(name, { most: 1, seconds: 2 * ageSecondsMax })) > 0)
      throw invalidError('it was used before');
    try {
      return await admissions.endSessions(accountId, {
        subject,
        sid: typeof sid === 'string' ? sid : undefined,
      });
    } catch (error) {
      // The provider sends it again.
      await counts.forget(name);
      throw error;
    }
  }
}

function checkLogout({ sub, sid, nonce, events }: JWTPayload): void {
  if (typeof events !== 'object' || events === null || !(logoutEvent in events))
    throw invalidError('it is not for a logout');
  if (nonce !== undefined) throw invalidError('it has a nonce, which only other tokens have');
  if (typeof sub !== 'string' && typeof sid !== 'string') throw invalidError('it names nobody');
}

function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

function invalidError(why: string): GatewayError {
  return new GatewayError('invalid_request', `logout_token: is not valid: ${why}`, { param: 'logout_token' });
}
