import type { ApiKeyAuthenticator } from '../../accounts/api-key-authenticator.ts';
import { limits } from '../../accounts/limits.ts';
import { KeySets } from '../../accounts/sign-on/key-sets.ts';
import { CallKeys } from '../../accounts/token-issuers/call-keys.ts';
import { asIssued, IssuedTokens } from '../../accounts/token-issuers/issued-tokens.ts';
import { IssuerKeys } from '../../accounts/token-issuers/issuer-keys.ts';
import { raiseCapReached } from '../../alerts/call-alerts.ts';
import { Quota } from '../../billing/quota.ts';
import type { UsageRecorder } from '../../billing/usage-recorder.ts';
import { AccountAdmission, type CallerAdmissions, uncountedAdmission } from '../../calls/caller-admission.ts';
import {
  createCloudAuthenticator,
  createLocalAuthenticator,
  type FindGuest,
  identityOfKey,
  localCallerIdentity,
} from '../../calls/caller-authenticator.ts';
import { CredentialShapes } from '../../calls/credential-shapes.ts';
import { LineCallers } from '../../calls/own-batches/line-callers.ts';
import type { Database } from '../../kernel/ports/records.ts';
import { isUuid } from '../../lib/uuid.ts';
import type { ProviderDirectory } from '../../providers/provider-directory.ts';
import {
  type AccessChecks,
  createCloudAccess,
  createLocalAccess,
  type ProjectAccess,
} from '../../server/api/access.ts';
import { billingPagePaths } from '../../server/api/routes/billing-pages.ts';
import { type AuthRequest, SessionCookies } from '../../server/api/session-cookie.ts';
import { inMemoryDataDir } from '../../storage/settings.ts';
import type { Gauge } from '../../telemetry/process-gauges.ts';
import { AccountChangeInbox } from '../account-change-inbox.ts';
import { type AccountServiceParts, type AccountServices, openAccountServices } from '../account-services.ts';
import { mailCheck } from '../checks/mail.ts';
import type { IssuerAccess } from '../issuer-access.ts';
import type { Part } from '../part.ts';

/** The public URL of the gateway; by default the listener's, once it listens. */
export interface PublicAddress {
  url: string;
}

export interface IdentityPart extends Part {
  readonly shapes: CredentialShapes;
  readonly callers: LineCallers;
  readonly callerAdmissions: CallerAdmissions;
  readonly access: AccessChecks;
  readonly cookies: SessionCookies;
  readonly operatorCookies: SessionCookies;
  /** Undefined in local mode, like the services. */
  readonly quota: Quota | undefined;
  readonly services: AccountServices | undefined;
}

interface IdentityParts extends AccountServiceParts {
  readonly usage: UsageRecorder;
  readonly directory: ProviderDirectory;
  readonly address: PublicAddress;
  readonly findGuest: FindGuest;
  readonly issuerAccess: IssuerAccess;
}

/** Authentication and quota: anyone in local mode, accounts in cloud mode. */
export function identityPart(parts: IdentityParts): IdentityPart {
  const { localToken, keyPrefix, mode } = parts.settings;
  const providers = parts.directory.providers.values();
  const shapes = new CredentialShapes({ providers, keyPrefix, localToken, hasIssuers: mode === 'cloud' });
  return mode === 'local' ? localIdentity(shapes, parts) : cloudIdentity(shapes, parts);
}

function localIdentity(
  shapes: CredentialShapes,
  { settings, address, findGuest }: IdentityParts,
): IdentityPart {
  const { localToken } = settings;
  const cookies = new SessionCookies(address);
  const clients = createLocalAuthenticator({
    shapes,
    localToken,
    cookieToken: (headers) => cookies.tokenOf({ method: 'POST', headers }),
    findGuest,
  });
  const callerAuthenticator = new LineCallers(clients, async () => localCallerIdentity);
  const authenticate = ({ headers, remoteAddress }: AuthRequest) =>
    callerAuthenticator.identify(headers, remoteAddress);
  return {
    shapes,
    callers: callerAuthenticator,
    callerAdmissions: { local: uncountedAdmission },
    access: createLocalAccess({ authenticate, localToken, cookies }),
    cookies,
    operatorCookies: SessionCookies.forOperator(address),
    quota: undefined,
    services: undefined,
  };
}

function cloudIdentity(shapes: CredentialShapes, parts: IdentityParts): IdentityPart {
  const { settings, log, stores, usage, address, findGuest, alerts } = parts;
  const services = openAccountServices(parts);
  const { keys, tokens } = services;
  const cookies = new SessionCookies(address);
  const operatorCookies = SessionCookies.forOperator(address);
  const operator = { token: settings.adminToken, cookies: operatorCookies };
  const callKeys = new CallKeys(keys, openIssuedTokens(parts, keys));
  const clients = createCloudAuthenticator(shapes, callKeys, findGuest);
  const callerAuthenticator = new LineCallers(clients, async (caller, address) => {
    if (caller.kind !== 'account') return undefined;
    const key = await keys.findById(caller.keyId, address);
    const { endUser } = caller;
    return key && identityOfKey(endUser === undefined ? key : asIssued(key, endUser), address);
  });
  const accountChangeInbox =
    settings.stores === undefined && settings.dataDir !== inMemoryDataDir
      ? new AccountChangeInbox(settings.dataDir)
      : undefined;
  accountChangeInbox?.watch(stores.shared.versions, (err) =>
    log.error({ err }, 'could not apply account changes by the command line; will retry'),
  );
  const quota = new Quota({
    slots: stores.shared.slots,
    versions: stores.shared.versions,
    clock: stores.clock,
    tierLimits: settings.tierLimits,
    upgradeUrl: () => `${address.url}${billingPagePaths.start}`,
    reservations: usage.reservations,
    recordedCalls: (accountId, periodStartMs) => usage.recordedCalls(accountId, periodStartMs),
    recordedAndReservedCalls: (accountId, periodStartMs) =>
      usage.recordedAndReservedCalls(accountId, periodStartMs),
    creditStanding: (accountId, periodStartMs) => stores.database.credits.standing(accountId, periodStartMs),
    onCapReached: ({ accountId, limit, periodStartMs: startMs, periodEndMs: endMs }) =>
      raiseCapReached(alerts, { accountId, limit, period: { startMs, endMs } }),
  });
  return {
    shapes,
    callers: callerAuthenticator,
    callerAdmissions: { account: new AccountAdmission({ quota, callers: callerAuthenticator, keys }) },
    access: createCloudAccess({
      tokens,
      services: services.serviceAccounts,
      keys: callKeys,
      cookies,
      projects: projectAccess(stores.database),
      operator,
    }),
    cookies,
    operatorCookies,
    quota,
    services,
    checks: settings.mail === undefined ? [] : [mailCheck(settings.mail, parts.egress, services.mailQueue)],
    gauges: [
      ...keyGauges(keys),
      ...quotaGauges(quota),
      {
        name: 'weir_mails_waiting',
        help: `Mails waiting to be sent, max ${limits.mailsWaiting}`,
        read: () => services.mailQueue?.pendingCount ?? 0,
      },
    ],
    features: [
      'accounts',
      'api-keys',
      'quota',
      ...(services.recovery.canMail ? ['mail'] : []),
      ...(services.passkeys.areAvailable ? ['passkeys'] : []),
      ...signUpFeatures[settings.signUp],
    ],
    async close() {
      await accountChangeInbox?.close();
      await services.close();
    },
  };
}

function openIssuedTokens(
  { stores, roots, issuerAccess: { fetch } }: IdentityParts,
  keys: ApiKeyAuthenticator,
): IssuedTokens {
  const { clock, shared, database } = stores;
  const [cacheKey] = roots.deriveKeys('issued tokens');
  return new IssuedTokens({
    tokenIssuers: database.tokenIssuers,
    ...{ keys, clock, cacheKey },
    keySets: new KeySets(fetch, clock),
    issuerKeys: new IssuerKeys(fetch, clock),
    versions: shared.versions,
  });
}

function projectAccess({ projectMembers, apiKeys }: Database): ProjectAccess {
  return {
    find: async (accountId, projectId, memberId) =>
      isUuid(projectId) ? projectMembers.find(accountId, projectId, memberId) : undefined,
    rolesOf: (accountId, memberId) => projectMembers.rolesOf(accountId, memberId),
    keyIds: (accountId, projectId) => apiKeys.idsOfProject(accountId, projectId, limits.projectKeysRead),
  };
}

/** What the dashboard's sign-up page depends on. */
const signUpFeatures = { on: ['sign-up'], invite: ['invitations'], off: [] } as const;

function keyGauges(keys: ApiKeyAuthenticator): readonly Gauge[] {
  return [
    {
      name: 'weir_api_keys_remembered',
      help: `Cached API key lookups, max ${limits.cachedKeyLookupsMax}`,
      read: () => keys.cacheSizes.keys,
    },
    {
      name: 'weir_api_key_misses_remembered',
      help: `Cached lookups of invalid API keys, max ${limits.cachedKeyMissesMax}`,
      read: () => keys.cacheSizes.misses,
    },
  ];
}

function quotaGauges(quota: Quota): readonly Gauge[] {
  return [
    {
      name: 'weir_quota_open',
      help: 'Open calls that are counted towards a quota',
      read: () => quota.openSlots,
    },
    {
      name: 'weir_quota_not_given_back_total',
      help: 'Failed calls whose quota count could not be undone',
      read: () => quota.unreleasedSlots,
    },
  ];
}
