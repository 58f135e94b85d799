import type { ApiKeyAuthenticator } from '../../accounts/api-key-authenticator.ts';
import { type Actor, type Right, requireRight } from '../../accounts/rights.ts';
import type { ServiceAccounts } from '../../accounts/service-accounts.ts';
import type { Session, SessionTokens } from '../../accounts/session-tokens.ts';
import { bearerTokenOf } from '../../calls/bearer-token.ts';
import { isAnonymousToken } from '../../calls/caller-authenticator.ts';
import type { KeyAccess } from '../../kernel/access-rules.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { ProjectRole } from '../../kernel/ports/identities.ts';
import type { PresentedCredential } from '../../kernel/ports/records.ts';
import { type HeaderList, headerOf } from '../../lib/headers.ts';
import type { Secret } from '../../lib/secret.ts';
import { invalidToken } from '../../sandbox/anonymous-sessions.ts';
import { localModeError } from './routes/local-mode.ts';
import type { AuthRequest, SessionCookies } from './session-cookie.ts';

/** A caller with access to an account, by kind of credential. */
export type AccountCaller =
  | ({ readonly kind: 'session' } & Session)
  | {
      readonly kind: 'key';
      readonly accountId: string;
      readonly keyId: string;
      /** What the key may be used for; undefined for everything. */
      readonly access: KeyAccess | undefined;
      /** Null for a key of the account itself. */
      readonly projectId: string | null;
      /** Whether a token of an issuer stands for the key. */
      readonly isIssued?: true | undefined;
    }
  | { readonly kind: 'local'; readonly accountId: 'local' };

/** For changes that are rejected if the credential has ended meanwhile. */
export function credentialOf(caller: AccountCaller): PresentedCredential | undefined {
  if (caller.kind === 'local') return undefined;
  if (caller.kind === 'key') return { kind: 'key', id: caller.keyId };
  return { kind: caller.isService ? 'service' : 'session', id: caller.tokenId };
}

/** Authenticates callers of Weir's own routes; each check rejects with 401. */
export interface AccessChecks {
  session(authRequest: AuthRequest): Promise<Session>;
  sessionOrKey(authRequest: AuthRequest): Promise<AccountCaller>;
  /** Accepts an API key only. */
  key(authRequest: AuthRequest): Promise<AccountCaller>;
  readonly projects: ProjectAccess;
  /** Accepts the operator's token; in local mode whoever may call models. */
  operator(authRequest: AuthRequest): Promise<void>;
}

/** What decides about access to projects. It is read with each request, so that changes hold at once. */
export interface ProjectAccess {
  /** A project of the account with the role of a member; undefined if there is no such project. */
  find(
    accountId: string,
    projectId: string,
    memberId: string | undefined,
  ): Promise<{ readonly role: ProjectRole | undefined } | undefined>;
  /** The roles that a member has in any project. */
  rolesOf(accountId: string, memberId: string): Promise<readonly ProjectRole[]>;
  /** The keys of a project. */
  keyIds(accountId: string, projectId: string): Promise<readonly string[]>;
}

/** Where there are no projects. */
export const noProjects: ProjectAccess = {
  find: async () => undefined,
  rolesOf: async () => [],
  keyIds: async () => [],
};

export type AccessName = 'public' | 'anonToken' | 'scimToken' | Exclude<keyof AccessChecks, 'projects'>;

export interface CloudAccessParts {
  readonly tokens: Pick<SessionTokens, 'verify'>;
  readonly services: Pick<ServiceAccounts, 'verify'>;
  readonly keys: Pick<ApiKeyAuthenticator, 'findCurrent' | 'noteUse'>;
  readonly cookies: SessionCookies;
  readonly projects: ProjectAccess;
  readonly operator: OperatorCredential;
}

/** What proves that a caller runs the gateway. */
interface OperatorCredential {
  /** Undefined where operators have no routes. */
  readonly token: Secret | undefined;
  readonly cookies: SessionCookies;
}

/** Cloud mode: accounts authenticate with a session token or, where a route allows it, an API key. */
export function createCloudAccess({
  tokens,
  services,
  keys,
  cookies,
  projects,
  operator,
}: CloudAccessParts): AccessChecks {
  const byKey = async ({ headers, remoteAddress }: AuthRequest): Promise<AccountCaller | undefined> => {
    const token = tokenOf(headers);
    const key = token === undefined ? undefined : await keys.findCurrent(token, remoteAddress);
    if (key === undefined) return undefined;
    keys.noteUse(key.keyId);
    const { account, keyId, access, projectId, isIssued } = key;
    return { kind: 'key', accountId: account.id, keyId, access, projectId, isIssued };
  };
  const bySession = async (authRequest: AuthRequest): Promise<Session | undefined> => {
    const bearer = bearerTokenOf(authRequest.headers);
    const token = bearer ?? cookies.tokenOf(authRequest);
    const service = bearer === undefined ? undefined : await services.verify(bearer);
    return service ?? (token === undefined ? undefined : tokens.verify(token));
  };
  return {
    projects,
    async session(authRequest) {
      const session = await bySession(authRequest);
      if (session === undefined)
        throw authenticationRequiredError('send a session token from POST /v1/users/login');
      return session;
    },
    async sessionOrKey(authRequest) {
      const key = await byKey(authRequest);
      if (key !== undefined) return key;
      const session = await bySession(authRequest);
      if (session !== undefined) return { kind: 'session', ...session };
      if (isAnonymousToken(tokenOf(authRequest.headers) ?? ''))
        throw invalidToken(
          'an anonymous session token is only valid for POST /v1/messages and its own receipts',
        );
      throw authenticationRequiredError('send an API key or a session token');
    },
    async key(authRequest) {
      const key = await byKey(authRequest);
      if (key === undefined) throw authenticationRequiredError('send an API key from POST /v1/keys');
      return key;
    },
    async operator(authRequest) {
      if (operator.token === undefined)
        throw new GatewayError('forbidden', 'this gateway has no operator token; set WEIR_ADMIN_TOKEN');
      const token = bearerTokenOf(authRequest.headers) ?? operator.cookies.tokenOf(authRequest);
      if (token === undefined || !operator.token.equals(token))
        throw authenticationRequiredError('send the value of WEIR_ADMIN_TOKEN');
    },
  };
}

export interface LocalAccessParts {
  /** The same check as for model calls; rejects a missing or wrong token. */
  authenticate(authRequest: AuthRequest): unknown;
  readonly localToken: Secret | undefined;
  readonly cookies: SessionCookies;
}

/** Local mode: one user, who needs no credential or the local token; a browser may send the token as a cookie. */
export function createLocalAccess({ authenticate, localToken, cookies }: LocalAccessParts): AccessChecks {
  const hasTokenCookie = (authRequest: AuthRequest): boolean => {
    if (localToken === undefined || bearerTokenOf(authRequest.headers) !== undefined) return false;
    const token = cookies.tokenOf(authRequest);
    return token !== undefined && localToken.equals(token);
  };
  return {
    projects: noProjects,
    async session() {
      throw localModeError();
    },
    async sessionOrKey(authRequest) {
      if (!hasTokenCookie(authRequest)) await authenticate(authRequest);
      return { kind: 'local', accountId: 'local' };
    },
    async key() {
      throw localModeError();
    },
    async operator(authRequest) {
      await this.sessionOrKey(authRequest);
    },
  };
}

/** Rejects a caller without a right. In local mode, the only user has all. */
export function requireRightOf(caller: Session | AccountCaller, right: Right): void {
  const actor = actorOf(caller);
  if (actor !== undefined) requireRight(actor, right);
}

/** Undefined for the user of a local gateway. */
export function actorOf(caller: Session | AccountCaller): Actor | undefined {
  if ('role' in caller) return { role: caller.role, ...(caller.isService && { isService: true }) };
  if (caller.kind === 'local') return undefined;
  // End users have nothing to do with what belongs to the whole organization.
  return caller.projectId === null && caller.isIssued !== true ? { role: 'key' } : { role: undefined };
}

function tokenOf(headers: HeaderList): string | undefined {
  return bearerTokenOf(headers) ?? headerOf(headers, 'x-api-key');
}

function authenticationRequiredError(instruction: string): GatewayError {
  return new GatewayError('authentication_required', `${instruction} as "authorization: Bearer <token>"`);
}
