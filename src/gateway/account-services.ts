import { AccountApiKeys } from '../accounts/account-api-keys.ts';
import { ApiKeyAuthenticator } from '../accounts/api-key-authenticator.ts';
import type { Argon2Cost } from '../accounts/argon2.ts';
import { KeyUses } from '../accounts/key-uses.ts';
import { AccountRecovery } from '../accounts/mail/account-recovery.ts';
import { MailQueue } from '../accounts/mail/mail-queue.ts';
import { SignInMails } from '../accounts/mail/sign-in-mails.ts';
import { OrganizationMembers } from '../accounts/organization-members.ts';
import { Organizations } from '../accounts/organizations.ts';
import { Passkeys } from '../accounts/passkeys.ts';
import { AccountProjects } from '../accounts/projects.ts';
import { SecondFactors } from '../accounts/second-factors.ts';
import { createKeyHasher, createPasswordHasher } from '../accounts/secret-hasher.ts';
import { ServiceAccounts } from '../accounts/service-accounts.ts';
import { SessionTokens } from '../accounts/session-tokens.ts';
import { PasswordPolicy } from '../accounts/sign-on/password-policy.ts';
import { UserAccounts } from '../accounts/user-accounts.ts';
import { raiseKeyRevoked } from '../alerts/call-alerts.ts';
import type { Audit } from '../audit/audit.ts';
import type { Egress } from '../egress/egress.ts';
import type { Alerts } from '../kernel/ports/alerts.ts';
import type { Log } from '../telemetry/log.ts';
import type { Stores } from './parts/stores.ts';
import type { RootSecrets } from './secrets.ts';
import type { Settings } from './settings.ts';
import { createSmtpDelivery, type SmtpOptions } from './smtp.ts';

/** The services of accounts, in cloud mode. */
export interface AccountServices {
  readonly accounts: UserAccounts;
  readonly passkeys: Passkeys;
  readonly secondFactors: SecondFactors;
  readonly tokens: SessionTokens;
  readonly accountKeys: AccountApiKeys;
  readonly keys: ApiKeyAuthenticator;
  readonly recovery: AccountRecovery;
  readonly organizations: Organizations;
  readonly organizationMembers: OrganizationMembers;
  readonly projects: AccountProjects;
  readonly serviceAccounts: ServiceAccounts;
  readonly mailQueue: MailQueue | undefined;
  /** Writes pending data. */
  close(): Promise<void>;
}

export interface AccountServiceParts {
  readonly stores: Stores;
  readonly roots: RootSecrets;
  readonly settings: Settings;
  readonly egress: Egress;
  readonly log: Log;
  readonly address: { readonly url: string };
  readonly alerts: Alerts;
  readonly audit: Pick<Audit, 'record'>;
  /** The recommended one if undefined. */
  readonly passwordCost: Argon2Cost | undefined;
}

export function openAccountServices(parts: AccountServiceParts): AccountServices {
  const { stores, roots: rootSecrets, settings, egress, log, address } = parts;
  const { identities, members, invitations, sessions, mailedTokens, apiKeys } = stores.database;
  const { rateLimiter, versions } = stores.shared;
  const { keyPrefix } = settings;
  const { clock } = stores;
  const hasher = createKeyHasher();
  const uses = new KeyUses({
    apiKeys,
    clock,
    onFailure: (cause) => log.error({ err: cause }, 'could not store the last use of API keys; will retry'),
  });
  const tokens = new SessionTokens({ keys: rootSecrets.deriveKeys('sessions'), sessions, clock });
  const passwordHasher = createPasswordHasher(parts.passwordCost);
  const mailQueue = settings.mail && createMailQueue({ ...settings.mail, egress }, log);
  const accountRecovery = new AccountRecovery({
    identities,
    tokens: mailedTokens,
    passwordHasher,
    attempts: rateLimiter,
    versions,
    mailQueue,
    address,
    clock,
  });
  const [cacheKey] = rootSecrets.deriveKeys('key lookups');
  const passwordPolicy = createPasswordPolicy(parts);
  const { loginFactors: factors } = stores.database;
  const passkeys = new Passkeys({ factors, baseUrl: settings.baseUrl, clock });
  const secondFactors = new SecondFactors({ factors, passkeys, attempts: rateLimiter, clock });
  const userAccounts = new UserAccounts({
    passwordPolicy,
    identities,
    members,
    invitations,
    signUp: settings.signUp,
    attempts: rateLimiter,
    signInMails: new SignInMails({ attempts: rateLimiter, address, mailQueue }),
    ...{ tokens, passkeys, secondFactors, passwordHasher, clock },
  });
  const { budgets, organizations, memberInvitations, projects, projectMembers } = stores.database;
  return {
    accounts: userAccounts,
    organizations: new Organizations({
      ...{ userAccounts, organizations, members, tokens, passwordPolicy, clock },
    }),
    passkeys,
    secondFactors,
    organizationMembers: new OrganizationMembers({
      ...{ userAccounts, members, invitations: memberInvitations, mailQueue, address, clock },
      attempts: rateLimiter,
    }),
    projects: new AccountProjects({ projects, projectMembers, versions, clock }),
    serviceAccounts: new ServiceAccounts({
      serviceAccounts: stores.database.serviceAccounts,
      keyPrefix,
      clock,
    }),
    tokens,
    accountKeys: new AccountApiKeys({
      ...{ apiKeys, projects, versions, hasher, uses, keyPrefix, clock },
      onRevoked: (key) => raiseKeyRevoked(parts.alerts, { ...key, atMs: key.revokedAtMs ?? clock.now() }),
    }),
    keys: new ApiKeyAuthenticator({ apiKeys, budgets, versions, hasher, uses, keyPrefix, cacheKey, clock }),
    recovery: accountRecovery,
    mailQueue,
    async close() {
      await mailQueue?.close();
      await uses.close();
    },
  };
}

function createPasswordPolicy({ stores, address, audit }: AccountServiceParts): PasswordPolicy {
  const { signOns } = stores.database;
  return new PasswordPolicy({
    ...{ signOns, address },
    onBreakGlass: ({ accountId: account, user }) =>
      audit.record({ event: 'sign_on.bypassed', account, actor: `user:${user}` }),
    onRefusal: ({ accountId: account, user }) =>
      audit.record({ event: 'sign_on.refused', account, user, reason: 'sign_on_required' }),
  });
}

function createMailQueue(mail: SmtpOptions, log: Log): MailQueue {
  return new MailQueue({
    deliver: createSmtpDelivery(mail),
    onFailure: (cause) => log.error({ err: redactMailError(cause) }, 'could not send a mail'),
  });
}

/** A mail server's message may contain the recipient. */
function redactMailError(cause: unknown): unknown {
  if (!(cause instanceof Error) || !('command' in cause || 'responseCode' in cause)) return cause;
  const code = 'code' in cause ? cause.code : null;
  return { name: cause.name, code, responseCode: 'responseCode' in cause ? cause.responseCode : null };
}
