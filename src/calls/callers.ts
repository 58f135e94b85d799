import type { KeyIdentity, KeyRing } from '../accounts/key-ring.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Caller } from '../kernel/exchange.ts';
import { type HeaderList, headerOf } from '../kernel/headers.ts';
import type { Secret } from '../kernel/secret.ts';
import { bearerOf } from './bearer.ts';
import type { CredentialShapes } from './credential-shapes.ts';

/** Who is calling, and what was settled for them beforehand. */
export interface Known {
  readonly caller: Caller;
  /** Whose provider keys and whose figures these are. */
  readonly accountId: string;
  /** The modules that the caller's key says to run; null where it says nothing. */
  readonly pipelineConfig: string | null;
  /** The key that was shown; undefined where none is asked for. */
  readonly key: KeyIdentity | undefined;
}

/** Recognises callers by the token for this gateway that they send. */
export interface Callers {
  /** What it says may be out of date; who goes on by it checks the version. */
  identify(headers: HeaderList): Promise<Known>;
  /** As it is now, whatever was said before. */
  identifyAnew(headers: HeaderList): Promise<Known>;
  /** For routes that would not notice otherwise. */
  identifyCurrent(headers: HeaderList): Promise<Known>;
}

const localCaller: Known = {
  caller: { kind: 'local' },
  accountId: 'local',
  pipelineConfig: null,
  key: undefined,
};

/** Local mode takes any token or none, unless one was set. */
export function localCallers(shapes: CredentialShapes, localToken: Secret | undefined): Callers {
  const identify = async (headers: HeaderList): Promise<Known> => {
    const bearer = bearerOf(headers);
    const ownBearer = bearer !== undefined && !shapes.isProviderKey(bearer) ? bearer : undefined;
    const token = agreed(ownKeyOf(headers, shapes), ownBearer);
    if (localToken === undefined || (token !== undefined && localToken.equals(token))) return localCaller;
    throw new GatewayError(
      'authentication_required',
      'this gateway asks for its token: send it as "authorization: Bearer <WEIR_LOCAL_TOKEN>"',
    );
  };
  return { identify, identifyAnew: identify, identifyCurrent: identify };
}

/** Cloud mode asks for an API key. */
export function cloudCallers(shapes: CredentialShapes, keys: KeyRing): Callers {
  const tokenOf = (headers: HeaderList): string => {
    const token = agreed(ownKeyOf(headers, shapes), bearerOf(headers));
    if (token !== undefined) return token;
    throw new GatewayError(
      'authentication_required',
      'send an API key of this gateway as "authorization: Bearer <key>"; POST /v1/keys makes one',
    );
  };
  const recognised = (token: string, identity: KeyIdentity | undefined): Known => {
    if (identity === undefined) throw unknownToken(token);
    return knownBy(identity);
  };
  return {
    async identify(headers) {
      const token = tokenOf(headers);
      return recognised(token, await keys.find(token));
    },
    async identifyAnew(headers) {
      const token = tokenOf(headers);
      keys.forget(token);
      return recognised(token, await keys.find(token));
    },
    async identifyCurrent(headers) {
      const token = tokenOf(headers);
      return recognised(token, await keys.findCurrent(token));
    },
  };
}

function knownBy(key: KeyIdentity): Known {
  const { account, keyId, pipelineConfig } = key;
  const caller: Caller = { kind: 'account', accountId: account.id, keyId };
  return { caller, accountId: account.id, pipelineConfig, key };
}

/** A token for this gateway where SDKs put their provider's key. */
function ownKeyOf(headers: HeaderList, shapes: CredentialShapes): string | undefined {
  const apiKey = headerOf(headers, 'x-api-key');
  return apiKey !== undefined && shapes.isOurs(apiKey) ? apiKey : undefined;
}

function agreed(apiKey: string | undefined, bearer: string | undefined): string | undefined {
  if (apiKey !== undefined && bearer !== undefined && apiKey !== bearer)
    throw new GatewayError(
      'credentials_disagree',
      'authorization and x-api-key carry two different gateway tokens; send one',
    );
  return apiKey ?? bearer;
}

function unknownToken(token: string): GatewayError {
  if (token.startsWith('anon_'))
    return new GatewayError('invalid_anon_token', 'there is no anonymous session with this token');
  const isSession = token.startsWith('eyJ');
  return new GatewayError(
    'invalid_api_key',
    isSession
      ? 'that is a session token; calls to models take an API key, which POST /v1/keys makes'
      : 'there is no such API key, or it was revoked',
  );
}
