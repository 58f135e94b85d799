import { AccountDeletion, type DeletionParts } from '../../accounts/account-deletion.ts';
import type { AccountEraser } from '../../accounts/account-eraser.ts';
import {
  deleteDueOrganizations,
  type OrganizationDeletionParts,
} from '../../accounts/organization-deletion.ts';
import type { Audit } from '../../audit/audit.ts';
import { AccountBudgets } from '../../billing/account-budgets.ts';
import { BudgetReport } from '../../billing/budget-report.ts';
import { buildSavingsReport, savingsReportSchema } from '../../billing/savings-report.ts';
import type { SpendingLimiter } from '../../billing/spending-limiter.ts';
import type { UsageRecorder } from '../../billing/usage-recorder.ts';
import { buildUsageReport } from '../../billing/usage-report.ts';
import { usageReportSchema } from '../../billing/usage-report-schema.ts';
import { type BudgetOwner, KeyBudgets } from '../../calls/key-budgets.ts';
import type { OwnProviders } from '../../calls/own-providers/own-providers.ts';
import type { PipelineSelector } from '../../calls/pipeline-selector.ts';
import type { CallRecordings } from '../../calls/recordings/call-recordings.ts';
import type { StepAsides } from '../../calls/step-asides.ts';
import { scopeOf } from '../../kernel/caller.ts';
import type { Module } from '../../kernel/module.ts';
import type { AnonymousSessions } from '../../sandbox/anonymous-sessions.ts';
import { Claims } from '../../sandbox/claims.ts';
import type { ApiRoute } from '../../server/api/route.ts';
import { accountPageRoutes } from '../../server/api/routes/account-pages.ts';
import { budgetRoutes } from '../../server/api/routes/budgets.ts';
import { claimRoutes } from '../../server/api/routes/claim.ts';
import { exportRoute } from '../../server/api/routes/export.ts';
import { keyAccessRoutes } from '../../server/api/routes/key-access.ts';
import { keyLimitRoutes } from '../../server/api/routes/key-limits.ts';
import { keyOwnerRoutes } from '../../server/api/routes/key-owners.ts';
import { keyProjectRoute } from '../../server/api/routes/key-project.ts';
import { keyReceiptRoutes } from '../../server/api/routes/key-receipts.ts';
import { keyRecordingRoutes } from '../../server/api/routes/key-recording.ts';
import { keyRoutes } from '../../server/api/routes/keys.ts';
import { localModeRoutes } from '../../server/api/routes/local-mode.ts';
import { localSessionRoutes } from '../../server/api/routes/local-session.ts';
import { memberInvitationRoutes } from '../../server/api/routes/member-invitations.ts';
import { operatorRoutes } from '../../server/api/routes/operator.ts';
import { organizationBudgetRoutes } from '../../server/api/routes/organization-budgets.ts';
import { organizationMemberRoutes } from '../../server/api/routes/organization-members.ts';
import { organizationRoutes } from '../../server/api/routes/organizations.ts';
import { passkeyRoutes } from '../../server/api/routes/passkeys.ts';
import { projectMemberRoutes } from '../../server/api/routes/project-members.ts';
import { projectRoutes } from '../../server/api/routes/projects.ts';
import { recoveryRoutes } from '../../server/api/routes/recovery.ts';
import { serviceAccountRoutes } from '../../server/api/routes/service-accounts.ts';
import { sessionsRoutes } from '../../server/api/routes/sessions.ts';
import { type UsageReportQuery, usageRoutes } from '../../server/api/routes/usage.ts';
import { usageProjectsRoute } from '../../server/api/routes/usage-projects.ts';
import { usersRoutes } from '../../server/api/routes/users.ts';
import type { Log } from '../../telemetry/log.ts';
import { createAccountEraser, createContentEraser } from '../erase-steps.ts';
import { exportedRows } from '../exported-rows.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';
import type { EmbeddingsPart } from './embeddings.ts';
import type { IdentityPart } from './identity.ts';
import type { Stores } from './stores.ts';

interface AccountParts {
  readonly settings: Settings;
  readonly stores: Stores;
  readonly usage: UsageRecorder;
  readonly identity: IdentityPart;
  readonly sessions: AnonymousSessions;
  readonly pipelines: PipelineSelector;
  readonly ownProviders: Pick<OwnProviders, 'directoryFor'>;
  readonly spending: SpendingLimiter;
  readonly log: Log;
  readonly audit: Pick<Audit, 'record' | 'change'>;
  readonly modules: ReadonlyMap<string, Module>;
  readonly embeddingsPart: EmbeddingsPart;
  readonly recordings: CallRecordings;
  readonly stepAsides: StepAsides;
  /** Stops all charges to an account. */
  stopCharging(accountId: string): Promise<void>;
}

/** Account management by account holders. */
export function accountsPart(parts: AccountParts): Part {
  const report = (question: UsageReportQuery) => createUsageReport(parts, question);
  const accountEraser = createAccountEraser({
    ...parts,
    deleteDue: () => deleteDueOrganizations(dueDeletions(parts)),
  });
  if (parts.identity.services !== undefined) accountEraser.start();
  return {
    routes: [
      ...usageRoutes({
        report,
        schema: usageReportSchema,
        savings: (accountId) => createSavingsReport(parts, accountId),
        savingsSchema: savingsReportSchema,
        clock: parts.stores.clock,
      }),
      ...budgetRoutes({
        budgets: new KeyBudgets(parts),
        owners: (accountId) => budgetOwners(parts.identity, accountId),
      }),
      ...accountRoutes(parts, accountEraser),
    ],
    close: () => accountEraser.close(),
  };
}

function accountRoutes(parts: AccountParts, eraser: AccountEraser): readonly ApiRoute[] {
  const { identity, pipelines, sessions, settings, stores } = parts;
  const { services, cookies } = identity;
  if (services === undefined)
    return [
      ...localModeRoutes(),
      ...localSessionRoutes({
        localToken: settings.localToken,
        attempts: stores.shared.rateLimiter,
        cookies,
      }),
    ];
  const { receipts } = stores.database;
  const { accounts: userAccounts, recovery: accountRecovery, tokens } = services;
  const accountDeletion = new AccountDeletion({ ...deletionParts(parts), userAccounts, eraser });
  return [
    ...usersRoutes({ accounts: userAccounts, recovery: accountRecovery, accountDeletion, cookies }),
    ...sessionsRoutes({ accounts: userAccounts, tokens }),
    ...passkeyRoutes({
      ...{ accounts: userAccounts, cookies },
      passkeys: services.passkeys,
      secondFactors: services.secondFactors,
    }),
    ...organizationRoutes({ organizations: services.organizations, cookies }),
    ...organizationMemberRoutes({ members: services.organizationMembers, cookies }),
    ...memberInvitationRoutes(services.organizationMembers),
    ...projectRoutes(services.projects),
    ...projectMemberRoutes(services.projects),
    ...serviceAccountRoutes(services.serviceAccounts),
    keyProjectRoute(services.accountKeys),
    usageProjectsRoute({
      usage: parts.usage,
      apiKeys: stores.database.apiKeys,
      clock: stores.clock,
    }),
    ...organizationBudgetRoutes({
      budgets: new AccountBudgets({
        table: stores.database.budgets,
        apiKeys: stores.database.apiKeys,
        projects: stores.database.projects,
        versions: stores.shared.versions,
        clock: stores.clock,
      }),
      report: new BudgetReport({ spending: parts.spending, usage: parts.usage }),
    }),
    exportRoute({
      rows: exportedRows(stores.database, parts.recordings),
      attempts: stores.shared.rateLimiter,
    }),
    ...recoveryRoutes({
      accounts: userAccounts,
      recovery: accountRecovery,
      forgetContent: createContentEraser(parts),
    }),
    ...operatorRoutes({
      token: settings.adminToken,
      cookies: identity.operatorCookies,
      attempts: stores.shared.rateLimiter,
      members: stores.database.members,
      usage: stores.database.usage,
      clock: stores.clock,
    }),
    ...accountPageRoutes(),
    ...keyRoutes({
      keys: services.accountKeys,
      warningsFor: (list, accountId) => pipelines.validate(list, accountId),
    }),
    ...keyAccessRoutes({
      keys: services.accountKeys,
      directoryFor: (accountId) => parts.ownProviders.directoryFor({ accountId }),
      validatePipeline: (list, accountId) => pipelines.validate(list, accountId),
    }),
    ...keyLimitRoutes(services.accountKeys),
    ...keyReceiptRoutes(services.accountKeys),
    ...keyOwnerRoutes(services.accountKeys),
    ...keyRecordingRoutes(services.accountKeys),
    ...claimRoutes(new Claims({ sessions, receipts, clock: stores.clock })),
  ];
}

function deletionParts({ stores, stopCharging }: AccountParts): DeletionParts {
  const { accounts } = stores.database;
  return { accounts, versions: stores.shared.versions, clock: stores.clock, beforeDelete: stopCharging };
}

function dueDeletions(parts: AccountParts): OrganizationDeletionParts {
  const { stores, audit, log } = parts;
  const { organizations, members } = stores.database;
  return {
    ...deletionParts(parts),
    organizations,
    members,
    audited: (account, erase) => audit.change({ event: 'account.deleted', account }, erase),
    onFailure: (account, err) => log.error({ account, err }, 'could not delete an organization; will retry'),
  };
}

/** The active keys; in local mode all calls together. */
async function budgetOwners({ services }: IdentityPart, accountId: string): Promise<readonly BudgetOwner[]> {
  if (services === undefined) return [{ keyId: '', name: '', pipelineConfig: null }];
  const keys = await services.accountKeys.list(accountId);
  return keys
    .filter(({ revokedAtMs }) => revokedAtMs === null)
    .map(({ id, name, prefix, pipelineConfig }) => ({
      keyId: id,
      name: name === '' ? prefix : name,
      pipelineConfig,
    }));
}

/** Adds the state of the current quota period, if there is one. */
async function createUsageReport(
  { usage, identity, stores }: AccountParts,
  question: UsageReportQuery,
): Promise<object> {
  const { accountId, keyIds, from, to } = question;
  // Effects of modules and the quota are not counted by key.
  const isWhole = keyIds === undefined;
  const [groups, modules] = await Promise.all([
    usage.groups(question),
    isWhole ? usage.modules(question) : [],
  ]);
  const rows = { ...groups, modules };
  if (!isWhole) return buildUsageReport({ from, to }, rows);
  const { quota } = identity;
  const account =
    accountId === undefined || quota === undefined
      ? undefined
      : await stores.database.accounts.byId(accountId);
  const quotaStatus = account === undefined ? undefined : await quota?.status(account);
  return buildUsageReport({ from, to }, rows, quotaStatus);
}

async function createSavingsReport(
  { usage, modules, stepAsides }: AccountParts,
  accountId: string | undefined,
): Promise<object> {
  const days = await usage.modules({ accountId, from: '', to: '9' });
  const names = [...new Set(days.map(({ module }) => module))];
  const scope = scopeOf(
    accountId === undefined ? { kind: 'local' } : { kind: 'account', accountId, keyId: '' },
  );
  const found = await Promise.all(
    names.map(async (name) => {
      const stepAside = await stepAsides.stored({ module: name, scope });
      return [name, { module: modules.get(name), stepAside }] as const;
    }),
  );
  const byName = new Map(found);
  return buildSavingsReport(days, (name) => byName.get(name) ?? { module: undefined, stepAside: undefined });
}
