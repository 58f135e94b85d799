import type { ApiKeyAuthenticator, KeyIdentity } from '../accounts/api-key-authenticator.ts';
import type { KeyAccess } from '../kernel/access-rules.ts';
import type { Caller } from '../kernel/caller.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { AnonSession } from '../kernel/ports/sandbox.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import { type HeaderList, headerValuesOf } from '../lib/headers.ts';
import type { Secret } from '../lib/secret.ts';
import { apiKeysIn, gatewayKeyHeader } from './api-key.ts';
import { bearerTokenOf } from './bearer-token.ts';
import type { CredentialShapes } from './credential-shapes.ts';

/** The authenticated caller and the settings of its key. */
export interface CallerIdentity {
  readonly caller: Caller;
  /** The account that owns the provider keys and the usage. */
  readonly accountId: string;
  /** The pipeline list of the caller's key; null if it has none. */
  readonly pipelineConfig: string | null;
  /** The API key of the call; undefined where none is required. */
  readonly key: KeyIdentity | undefined;
  /** What the key may be used for; undefined for everything. */
  readonly access?: KeyAccess | undefined;
  /** Where the call comes from; undefined unless it has an API key. */
  readonly address?: string | undefined;
  /** The anonymous session of the call. */
  readonly session: AnonSession | undefined;
}

/** Identifies callers by the gateway token that they send. Rejects API keys that may not be used from their address. */
export interface CallerAuthenticator {
  /**
   * The identity may be out of date; check its version before relying on it. `wire` is set for calls to models, the
   * only calls that anonymous sessions may make.
   */
  identify(headers: HeaderList, address: string, wire?: WireFormat): Promise<CallerIdentity>;
  /** Bypasses the cache. */
  reidentify(headers: HeaderList, address: string | undefined): Promise<CallerIdentity>;
  /** For routes that don't check the version themselves. */
  identifyCurrent(headers: HeaderList, address: string | undefined): Promise<CallerIdentity>;
}

/**
 * Finds the anonymous session of a token; undefined if there is none; rejects a session that may not make this call.
 */
export type FindGuest = (token: string, wire: WireFormat | undefined) => Promise<CallerIdentity | undefined>;

export const localCallerIdentity: CallerIdentity = {
  caller: { kind: 'local' },
  accountId: 'local',
  pipelineConfig: null,
  key: undefined,
  session: undefined,
};

export interface LocalAuthenticatorParts {
  readonly shapes: CredentialShapes;
  readonly localToken: Secret | undefined;
  /** The token in the cookie of the dashboard; rejects a request that another site may have made. */
  cookieToken(headers: HeaderList): string | undefined;
  readonly findGuest: FindGuest;
}

/** Local mode accepts any token or none, unless one is configured; the dashboard sends that as a cookie. */
export function createLocalAuthenticator({
  shapes,
  localToken,
  cookieToken,
  findGuest,
}: LocalAuthenticatorParts): CallerAuthenticator {
  const identify = async (headers: HeaderList, wire?: WireFormat): Promise<CallerIdentity> => {
    const token = requireSameToken(gatewayKeyOf(headers, shapes), gatewayBearerOf(headers, shapes));
    const guest = token !== undefined && isAnonymousToken(token) ? await findGuest(token, wire) : undefined;
    return guest ?? localUser(token ?? (localToken && cookieToken(headers)));
  };
  const localUser = (token: string | undefined): CallerIdentity => {
    if (localToken === undefined || (token !== undefined && localToken.equals(token)))
      return localCallerIdentity;
    throw new GatewayError(
      'authentication_required',
      'this gateway requires its token: send it as "authorization: Bearer <WEIR_LOCAL_TOKEN>"',
    );
  };
  return {
    identify: (headers, _, wire) => identify(headers, wire),
    reidentify: (headers) => identify(headers),
    identifyCurrent: (headers) => identify(headers),
  };
}

/** Cloud mode requires an API key or the token of an anonymous session. */
export function createCloudAuthenticator(
  shapes: CredentialShapes,
  keys: Pick<ApiKeyAuthenticator, 'cached' | 'find' | 'findCurrent' | 'forget'>,
  findGuest: FindGuest,
): CallerAuthenticator {
  const tokenOf = (headers: HeaderList): string => {
    const apiKey = gatewayKeyOf(headers, shapes);
    // A provider's key is a token of this gateway only if there is no other, so that its sender learns what is wrong.
    const bearer = apiKey === undefined ? bearerTokenOf(headers) : gatewayBearerOf(headers, shapes);
    const token = requireSameToken(apiKey, bearer);
    if (token !== undefined) return token;
    throw new GatewayError(
      'authentication_required',
      'send an API key of this gateway as "authorization: Bearer <key>"; create one with POST /v1/keys',
    );
  };
  const requireGuest = async (token: string, wire?: WireFormat): Promise<CallerIdentity> => {
    const guest = isAnonymousToken(token) ? await findGuest(token, wire) : undefined;
    if (guest === undefined) throw unknownTokenError(token);
    return guest;
  };
  return {
    async identify(headers, address, wire) {
      const token = tokenOf(headers);
      const key = keys.cached(token, address) ?? (await keys.find(token, address));
      return key === undefined ? requireGuest(token, wire) : identityOfKey(key, address);
    },
    async reidentify(headers, address) {
      const token = tokenOf(headers);
      keys.forget(token);
      const key = await keys.find(token, address);
      return key === undefined ? requireGuest(token) : identityOfKey(key, address);
    },
    async identifyCurrent(headers, address) {
      const token = tokenOf(headers);
      const key = await keys.findCurrent(token, address);
      return key === undefined ? requireGuest(token) : identityOfKey(key, address);
    },
  };
}

export function identityOfKey(key: KeyIdentity, address: string | undefined): CallerIdentity {
  const { account, keyId, pipelineConfig, access } = key;
  const endUser = key.isIssued ? access?.rules.endUser : undefined;
  const caller: Caller = {
    ...{ kind: 'account', accountId: account.id, keyId },
    ...(endUser !== undefined && { endUser }),
  };
  return { caller, accountId: account.id, pipelineConfig, key, access, address, session: undefined };
}

export function isAnonymousToken(token: string): boolean {
  return token.startsWith('anon_');
}

/** A gateway token in its own header, or in one where SDKs send their provider's key. */
function gatewayKeyOf(headers: HeaderList, shapes: CredentialShapes): string | undefined {
  const own = headerValuesOf(headers, gatewayKeyHeader);
  const sent = apiKeysIn(headers);
  if (own.length + sent.length === 0) return undefined;
  const tokens = new Set([...own, ...sent.filter((key) => shapes.isGatewayToken(key))]);
  const [first, second] = tokens;
  return requireSameToken(first, second);
}

/** The bearer token, unless it is a provider's key or login. */
function gatewayBearerOf(headers: HeaderList, shapes: CredentialShapes): string | undefined {
  const bearer = bearerTokenOf(headers);
  return bearer === undefined || shapes.isProviderKey(bearer) ? undefined : bearer;
}

function requireSameToken(apiKey: string | undefined, bearer: string | undefined): string | undefined {
  if (apiKey !== undefined && bearer !== undefined && apiKey !== bearer)
    throw new GatewayError(
      'credentials_disagree',
      'authorization, x-weir-key, x-api-key and x-goog-api-key carry two different gateway tokens; send one',
    );
  return apiKey ?? bearer;
}

function unknownTokenError(token: string): GatewayError {
  if (isAnonymousToken(token))
    return new GatewayError('invalid_anon_token', 'there is no anonymous session with this token');
  const isSession = token.startsWith('eyJ');
  return new GatewayError(
    'invalid_api_key',
    isSession
      ? 'this is a session token, or a token of no issuer that an organization accepts; calls to models need an API key: create one with POST /v1/keys'
      : 'this API key does not exist or was revoked',
  );
}
