import type { Migration } from '../migrate.ts';
import { accounts } from './accounts.ts';
import { alerts } from './alerts.ts';
import { announcedChanges } from './announced-changes.ts';
import { archive } from './archive.ts';
import { archivePersons } from './archive-persons.ts';
import { askedBy } from './asked-by.ts';
import { audit } from './audit.ts';
import { billing } from './billing.ts';
import { budgets } from './budgets.ts';
import { collections } from './collections.ts';
import { configurations } from './configurations.ts';
import { conversations } from './conversations.ts';
import { dataRetentions } from './data-retentions.ts';
import { deletedAccounts } from './deleted-accounts.ts';
import { endUserDays } from './end-user-days.ts';
import { gatewayProcesses } from './gateway-processes.ts';
import { identities } from './identities.ts';
import { imports } from './imports.ts';
import { invitations } from './invitations.ts';
import { keyAccess } from './key-access.ts';
import { keyLimits } from './key-limits.ts';
import { keyOwners } from './key-owners.ts';
import { keyPools } from './key-pools.ts';
import { keyStates } from './key-states.ts';
import { logRetentions } from './log-retentions.ts';
import { mcpAuthorization } from './mcp-authorization.ts';
import { moduleCalls } from './module-calls.ts';
import { moduleDays } from './module-days.ts';
import { moduleStores } from './module-stores.ts';
import { organizations } from './organizations.ts';
import { ownBatches } from './own-batches.ts';
import { paidAnswers } from './paid-answers.ts';
import { passkeys } from './passkeys.ts';
import { patternGists } from './pattern-gists.ts';
import { patterns } from './patterns.ts';
import { payments } from './payments.ts';
import { processSettings } from './process-settings.ts';
import { projects } from './projects.ts';
import { prompts } from './prompts.ts';
import { receipts } from './receipts.ts';
import { recordings } from './recordings.ts';
import { requestAgents } from './request-agents.ts';
import { requestAttempts } from './request-attempts.ts';
import { requestCauses } from './request-causes.ts';
import { requestDayTotals } from './request-day-totals.ts';
import { requestDays } from './request-days.ts';
import { requestKinds } from './request-kinds.ts';
import { requestLog } from './request-log.ts';
import { requestMinutes } from './request-minutes.ts';
import { requestPast } from './request-past.ts';
import { requestStepTimes } from './request-step-times.ts';
import { requestTags } from './request-tags.ts';
import { requestUnits } from './request-units.ts';
import { requestWeights } from './request-weights.ts';
import { reservations } from './reservations.ts';
import { sandbox } from './sandbox.ts';
import { scim } from './scim.ts';
import { serviceAccounts } from './service-accounts.ts';
import { sessions } from './sessions.ts';
import { settlements } from './settlements.ts';
import { sharedDocuments } from './shared-documents.ts';
import { signOn } from './sign-on.ts';
import { tagDays } from './tag-days.ts';
import { tokenIssuers } from './token-issuers.ts';
import { usage } from './usage.ts';
import { usageModelDays } from './usage-model-days.ts';
import { vectors } from './vectors.ts';

/** In the order in which they are run. One that has been released is never changed; the next one changes what it made. */
export const migrations: readonly Migration[] = [
  accounts,
  usage,
  requestLog,
  askedBy,
  moduleStores,
  reservations,
  sandbox,
  receipts,
  payments,
  settlements,
  paidAnswers,
  vectors,
  billing,
  patterns,
  moduleDays,
  sessions,
  patternGists,
  archive,
  archivePersons,
  requestKinds,
  requestPast,
  identities,
  collections,
  recordings,
  requestAttempts,
  configurations,
  requestAgents,
  requestDays,
  invitations,
  deletedAccounts,
  requestWeights,
  requestMinutes,
  moduleCalls,
  sharedDocuments,
  keyPools,
  keyLimits,
  requestCauses,
  conversations,
  gatewayProcesses,
  endUserDays,
  requestStepTimes,
  requestTags,
  tagDays,
  alerts,
  logRetentions,
  keyAccess,
  prompts,
  keyStates,
  keyOwners,
  imports,
  requestDayTotals,
  processSettings,
  requestUnits,
  ownBatches,
  organizations,
  audit,
  projects,
  signOn,
  budgets,
  serviceAccounts,
  passkeys,
  announcedChanges,
  dataRetentions,
  scim,
  tokenIssuers,
  mcpAuthorization,
  usageModelDays,
];
