import type { ApiKeyAuthenticator } from '../../accounts/api-key-authenticator.ts';
import type { Session, SessionTokens } from '../../accounts/session-tokens.ts';
import { bearerTokenOf } from '../../calls/bearer-token.ts';
import { isAnonymousToken } from '../../calls/caller-authenticator.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { type HeaderList, headerOf } from '../../kernel/headers.ts';
import type { Secret } from '../../kernel/secret.ts';
import { invalidToken } from '../../sandbox/anonymous-sessions.ts';
import { localModeError } from './routes/local-mode.ts';
import type { AuthRequest, SessionCookies } from './session-cookie.ts';

/** Whoever may look at an account, and how they showed it. */
export type AccountCaller =
  | ({ readonly kind: 'session' } & Session)
  | { readonly kind: 'key'; readonly accountId: string; readonly keyId: string }
  | { readonly kind: 'local'; readonly accountId: 'local' };

/** Who may call our own routes; each refuses with 401. */
export interface AccessChecks {
  session(authRequest: AuthRequest): Promise<Session>;
  sessionOrKey(authRequest: AuthRequest): Promise<AccountCaller>;
  /** An API key, and nothing else. */
  key(authRequest: AuthRequest): Promise<AccountCaller>;
}

export type AccessName = 'public' | 'anonToken' | keyof AccessChecks;

export interface CloudAccessParts {
  readonly tokens: SessionTokens;
  readonly keys: ApiKeyAuthenticator;
  readonly cookies: SessionCookies;
}

/** Accounts show a session token, or where that is enough one of their API keys. */
export function createCloudAccess({ tokens, keys, cookies }: CloudAccessParts): AccessChecks {
  const byKey = async ({ headers }: AuthRequest): Promise<AccountCaller | undefined> => {
    const token = tokenOf(headers);
    const key = token === undefined ? undefined : await keys.findCurrent(token);
    if (key === undefined) return undefined;
    keys.noteUse(key.keyId);
    return { kind: 'key', accountId: key.account.id, keyId: key.keyId };
  };
  const bySession = async (authRequest: AuthRequest): Promise<Session | undefined> => {
    const token = bearerTokenOf(authRequest.headers) ?? cookies.tokenOf(authRequest);
    return token === undefined ? undefined : tokens.verify(token);
  };
  return {
    async session(authRequest) {
      const session = await bySession(authRequest);
      if (session === undefined)
        throw authenticationRequiredError('send a session token, which POST /v1/users/login gives');
      return session;
    },
    async sessionOrKey(authRequest) {
      const key = await byKey(authRequest);
      if (key !== undefined) return key;
      const session = await bySession(authRequest);
      if (session !== undefined) return { kind: 'session', ...session };
      if (isAnonymousToken(tokenOf(authRequest.headers) ?? ''))
        throw invalidToken(
          'the token of an anonymous session is for POST /v1/messages and its receipts alone',
        );
      throw authenticationRequiredError('send an API key, or a session token');
    },
    async key(authRequest) {
      const key = await byKey(authRequest);
      if (key === undefined) throw authenticationRequiredError('send an API key, which POST /v1/keys makes');
      return key;
    },
  };
}

export interface LocalAccessParts {
  /** Asks of everybody what calls to models are asked for, and refuses who doesn't have it. */
  authenticate(headers: HeaderList): unknown;
  readonly localToken: Secret | undefined;
  readonly cookies: SessionCookies;
}

/** A local gateway has one user, who needs nothing, or its token; a browser may keep that in its cookie. */
export function createLocalAccess({ authenticate, localToken, cookies }: LocalAccessParts): AccessChecks {
  const isKept = (authRequest: AuthRequest): boolean => {
    if (localToken === undefined || bearerTokenOf(authRequest.headers) !== undefined) return false;
    const token = cookies.tokenOf(authRequest);
    return token !== undefined && localToken.equals(token);
  };
  return {
    async session() {
      throw localModeError();
    },
    async sessionOrKey(authRequest) {
      if (!isKept(authRequest)) await authenticate(authRequest.headers);
      return { kind: 'local', accountId: 'local' };
    },
    async key() {
      throw localModeError();
    },
  };
}

function tokenOf(headers: HeaderList): string | undefined {
  return bearerTokenOf(headers) ?? headerOf(headers, 'x-api-key');
}

function authenticationRequiredError(what: string): GatewayError {
  return new GatewayError('authentication_required', `${what}, as "authorization: Bearer <token>"`);
}
