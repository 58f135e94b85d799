import type { KeyRing } from '../../accounts/key-ring.ts';
import type { Session, SessionTokens } from '../../accounts/session-tokens.ts';
import { bearerOf } from '../../calls/bearer.ts';
import { isAnonymous } from '../../calls/callers.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { type HeaderList, headerOf } from '../../kernel/headers.ts';
import type { Secret } from '../../kernel/secret.ts';
import { invalidToken } from '../../sandbox/anonymous-sessions.ts';
import { localMode } from './routes/local-mode.ts';
import type { Asked, SessionCookies } from './session-cookie.ts';

/** Whoever may look at an account, and how they showed it. */
export type AccountCaller =
  | ({ readonly kind: 'session' } & Session)
  | { readonly kind: 'key'; readonly accountId: string; readonly keyId: string }
  | { readonly kind: 'local'; readonly accountId: 'local' };

/** Who may call our own routes; each refuses with 401. */
export interface AccessChecks {
  session(asked: Asked): Promise<Session>;
  sessionOrKey(asked: Asked): Promise<AccountCaller>;
  /** An API key, and nothing else. */
  key(asked: Asked): Promise<AccountCaller>;
}

export type AccessName = 'public' | 'anonToken' | keyof AccessChecks;

export interface CloudAccessParts {
  readonly tokens: SessionTokens;
  readonly keys: KeyRing;
  readonly cookies: SessionCookies;
}

/** Accounts show a session token, or where that is enough one of their API keys. */
export function cloudAccess({ tokens, keys, cookies }: CloudAccessParts): AccessChecks {
  const byKey = async ({ headers }: Asked): Promise<AccountCaller | undefined> => {
    const token = tokenOf(headers);
    const key = token === undefined ? undefined : await keys.findCurrent(token);
    if (key === undefined) return undefined;
    keys.used(key.keyId);
    return { kind: 'key', accountId: key.account.id, keyId: key.keyId };
  };
  const bySession = async (asked: Asked): Promise<Session | undefined> => {
    const token = bearerOf(asked.headers) ?? cookies.tokenOf(asked);
    return token === undefined ? undefined : tokens.verify(token);
  };
  return {
    async session(asked) {
      const session = await bySession(asked);
      if (session === undefined) throw refusal('send a session token, which POST /v1/users/login gives');
      return session;
    },
    async sessionOrKey(asked) {
      const key = await byKey(asked);
      if (key !== undefined) return key;
      const session = await bySession(asked);
      if (session !== undefined) return { kind: 'session', ...session };
      if (isAnonymous(tokenOf(asked.headers) ?? ''))
        throw invalidToken(
          'the token of an anonymous session is for POST /v1/messages and its receipts alone',
        );
      throw refusal('send an API key, or a session token');
    },
    async key(asked) {
      const key = await byKey(asked);
      if (key === undefined) throw refusal('send an API key, which POST /v1/keys makes');
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
export function localAccess({ authenticate, localToken, cookies }: LocalAccessParts): AccessChecks {
  const isKept = (asked: Asked): boolean => {
    if (localToken === undefined || bearerOf(asked.headers) !== undefined) return false;
    const token = cookies.tokenOf(asked);
    return token !== undefined && localToken.equals(token);
  };
  return {
    async session() {
      throw localMode();
    },
    async sessionOrKey(asked) {
      if (!isKept(asked)) await authenticate(asked.headers);
      return { kind: 'local', accountId: 'local' };
    },
    async key() {
      throw localMode();
    },
  };
}

function tokenOf(headers: HeaderList): string | undefined {
  return bearerOf(headers) ?? headerOf(headers, 'x-api-key');
}

function refusal(what: string): GatewayError {
  return new GatewayError('authentication_required', `${what}, as "authorization: Bearer <token>"`);
}
