import { GatewayError } from '../../kernel/errors.ts';
import type { RequiredClaim, TokenRules } from '../../kernel/ports/token-issuers.ts';
import { limits } from '../limits.ts';

type Claims = Readonly<Record<string, unknown>>;

/** What a verified token stands for. */
export interface TokenMeaning {
  readonly keyId: string;
  readonly endUser: string;
  readonly expiresAtMs: number;
}

/** Throws if the token may not be used, and says why: its signature shows that the issuer has made it. */
export function readClaims(claims: Claims, rules: TokenRules, nowMs: number): TokenMeaning {
  const { iat, exp } = claims;
  if (typeof exp !== 'number') throw refusedTokenError('it never expires');
  if (typeof iat === 'number' && iat * 1000 > nowMs + limits.issuerClockSeconds * 1000)
    throw refusedTokenError('it is from the future');
  // Whoever sends a bound token has to prove that they hold its key, which a bearer token doesn't.
  if (claims.cnf !== undefined) throw refusedTokenError('it is bound to a key, and can’t be a bearer token');
  for (const required of rules.requiredClaims)
    if (!isFulfilled(claims[required.claim], required))
      throw refusedTokenError(`its claim "${required.claim}" has none of the values that are needed`);
  const endUser = textOf(claims[rules.subjectClaim]);
  if (endUser === undefined) throw refusedTokenError(`it has no claim "${rules.subjectClaim}"`);
  return { keyId: keyOf(claims, rules), endUser, expiresAtMs: exp * 1000 };
}

function keyOf(claims: Claims, { keyId, projectClaim, projectKeys }: TokenRules): string {
  const named = projectClaim === null ? undefined : claims[projectClaim];
  if (named !== undefined) {
    const key = projectKeys.find(({ value }) => value === textOf(named));
    if (key !== undefined) return key.keyId;
    throw refusedTokenError(`its claim "${projectClaim}" names no project that is configured`);
  }
  if (keyId !== null) return keyId;
  throw refusedTokenError(`it has no claim "${projectClaim}"`);
}

/** Lists are fulfilled by one of their entries. */
function isFulfilled(value: unknown, { values }: RequiredClaim): boolean {
  return (Array.isArray(value) ? value : [value]).some((one) => {
    const text = textOf(one);
    return text !== undefined && values.includes(text);
  });
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const isText = typeof value === 'string' && value !== '' && value.length <= limits.claimCharactersMax;
  return isText && value.isWellFormed() && !value.includes('\0') ? value : undefined;
}

export function refusedTokenError(why: string): GatewayError {
  return new GatewayError('invalid_api_key', `this token of the organization’s issuer is refused: ${why}`);
}
