import type { KeyRing } from '../../accounts/key-ring.ts';
import type { Session, SessionTokens } from '../../accounts/session-tokens.ts';
import { bearerOf } from '../../calls/bearer.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { type HeaderList, headerOf } from '../../kernel/headers.ts';
import { localMode } from './routes/local-mode.ts';

/** Whoever may look at an account, and how they showed it. */
export type AccountCaller =
  | ({ readonly kind: 'session' } & Session)
  | { readonly kind: 'key'; readonly accountId: string; readonly keyId: string }
  | { readonly kind: 'local'; readonly accountId: 'local' };

/** Who may call our own routes; each refuses with 401. */
export interface AccessChecks {
  session(headers: HeaderList): Promise<Session>;
  sessionOrKey(headers: HeaderList): Promise<AccountCaller>;
  /** An API key, and nothing else. */
  key(headers: HeaderList): Promise<AccountCaller>;
}

export type AccessName = 'public' | 'anonToken' | keyof AccessChecks;

export interface CloudAccessParts {
  readonly tokens: SessionTokens;
  readonly keys: KeyRing;
}

/** Accounts show a session token, or where that is enough one of their API keys. */
export function cloudAccess({ tokens, keys }: CloudAccessParts): AccessChecks {
  const byKey = async (headers: HeaderList): Promise<AccountCaller | undefined> => {
    const token = bearerOf(headers) ?? headerOf(headers, 'x-api-key');
    const key = token === undefined ? undefined : await keys.findCurrent(token);
    if (key === undefined) return undefined;
    keys.used(key.keyId);
    return { kind: 'key', accountId: key.account.id, keyId: key.keyId };
  };
  return {
    async session(headers) {
      const token = bearerOf(headers);
      const session = token === undefined ? undefined : await tokens.verify(token);
      if (session === undefined) throw refusal('send a session token, which POST /v1/users/login gives');
      return session;
    },
    async sessionOrKey(headers) {
      const key = await byKey(headers);
      if (key !== undefined) return key;
      const bearer = bearerOf(headers);
      const session = bearer === undefined ? undefined : await tokens.verify(bearer);
      if (session === undefined) throw refusal('send an API key, or a session token');
      return { kind: 'session', ...session };
    },
    async key(headers) {
      const key = await byKey(headers);
      if (key === undefined) throw refusal('send an API key, which POST /v1/keys makes');
      return key;
    },
  };
}

/** A local gateway has one user, who needs nothing but what `authenticate` asks of every caller. */
export function localAccess(authenticate: (headers: HeaderList) => unknown): AccessChecks {
  return {
    async session() {
      throw localMode();
    },
    async sessionOrKey(headers) {
      await authenticate(headers);
      return { kind: 'local', accountId: 'local' };
    },
    async key() {
      throw localMode();
    },
  };
}

function refusal(what: string): GatewayError {
  return new GatewayError('authentication_required', `${what}, as "authorization: Bearer <token>"`);
}
