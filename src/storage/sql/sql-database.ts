import { Kysely, sql } from 'kysely';
import { GatewayError } from '../../kernel/errors.ts';
import type { AccountRows } from '../../kernel/ports/account-rows.ts';
import type { AlertTable } from '../../kernel/ports/alerts.ts';
import type { AnnouncedChanges } from '../../kernel/ports/announced-changes.ts';
import type { AuditTable } from '../../kernel/ports/audit.ts';
import type { BillingAccounts, Credits, Recharges } from '../../kernel/ports/billing.ts';
import type { CollectionTable } from '../../kernel/ports/collection-table.ts';
import type { Configurations } from '../../kernel/ports/configurations.ts';
import type { DataRetentions } from '../../kernel/ports/data-retentions.ts';
import type { Accounts, Identities, Members } from '../../kernel/ports/identities.ts';
import type { Invitations } from '../../kernel/ports/invitations.ts';
import type { KeyActivities } from '../../kernel/ports/key-activity.ts';
import type { LegalHolds } from '../../kernel/ports/legal-holds.ts';
import type { LogRetentions } from '../../kernel/ports/log-retentions.ts';
import type { LoginFactors } from '../../kernel/ports/login-factors.ts';
import type { McpClients, McpGrants, McpKeyPeople } from '../../kernel/ports/mcp-authorization.ts';
import type { MemberInvitations } from '../../kernel/ports/member-invitations.ts';
import type { KeyValueStores } from '../../kernel/ports/module-store.ts';
import type { MovedRows, MovedSealings } from '../../kernel/ports/moving.ts';
import type { Organizations } from '../../kernel/ports/organizations.ts';
import type { CallFiles, OwnBatches, OwnBatchLines } from '../../kernel/ports/own-batches.ts';
import type { PaidAnswers } from '../../kernel/ports/paid-answers.ts';
import type { Challenges, Ledger } from '../../kernel/ports/payments.ts';
import type { Processes } from '../../kernel/ports/processes.ts';
import type { ProjectMembers, Projects } from '../../kernel/ports/projects.ts';
import type { Prompts } from '../../kernel/ports/prompts.ts';
import type { Receipts } from '../../kernel/ports/receipts.ts';
import type { RecordingTable } from '../../kernel/ports/recordings.ts';
import type {
  ApiKeys,
  Database,
  DatabaseLoad,
  ProviderKeys,
  UsageStore,
} from '../../kernel/ports/records.ts';
import type { RequestLog } from '../../kernel/ports/request-log.ts';
import type { AnonSessions } from '../../kernel/ports/sandbox.ts';
import type { ScimGroups, ScimTokens, ScimUsers } from '../../kernel/ports/scim.ts';
import type { ServiceAccounts } from '../../kernel/ports/service-accounts.ts';
import type { Erasures, MailedTokens, Sessions } from '../../kernel/ports/sessions.ts';
import type { Settlements } from '../../kernel/ports/settlements.ts';
import type { SharedDocuments } from '../../kernel/ports/shared-documents.ts';
import type { SignOnAdmissions, SignOnDomains, SignOns } from '../../kernel/ports/sign-on.ts';
import type { StorageReport } from '../../kernel/ports/storage-report.ts';
import { storageUnavailable } from '../../kernel/ports/storage-unavailable.ts';
import type { StoredBudgets } from '../../kernel/ports/stored-budgets.ts';
import type { TokenIssuers } from '../../kernel/ports/token-issuers.ts';
import type { VectorTable } from '../../kernel/ports/vectors.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { limits } from '../limits.ts';
import { SqlAccountRows } from './account-rows.ts';
import { SqlAccounts } from './accounts.ts';
import { SqlAlertTable } from './alert-table.ts';
import { SqlAnnouncedChanges } from './announced-changes.ts';
import { SqlAnonSessions } from './anon-sessions.ts';
import { SqlApiKeys } from './api-keys.ts';
import { SqlAudit } from './audit.ts';
import { SqlBillingAccounts } from './billing-accounts.ts';
import { SqlBudgets } from './budgets.ts';
import { SqlCallFiles } from './call-files.ts';
import { SqlChallenges } from './challenges.ts';
import { SqlCollectionTable } from './collection-table.ts';
import { SqlConfigurations } from './configurations.ts';
import type { AdjustablePool, ConnectionPool, PoolBounds } from './connection-pool.ts';
import { SqlCredits } from './credits.ts';
import { SqlDataRetentions } from './data-retentions.ts';
import { SqlErasures } from './erasures.ts';
import { SqlIdentities } from './identities.ts';
import { SqlInvitations } from './invitations.ts';
import { SqlKeyActivities } from './key-activities.ts';
import { createKyselyDialect } from './kysely-dialect.ts';
import { SqlLedger } from './ledger.ts';
import { SqlLegalHolds } from './legal-holds.ts';
import { SqlLogRetentions } from './log-retentions.ts';
import { SqlLoginFactors } from './login-factors.ts';
import { SqlMailedTokens } from './mailed-tokens.ts';
import { SqlMcpClients } from './mcp-clients.ts';
import { SqlMcpGrants } from './mcp-grants.ts';
import { SqlMcpKeyPeople } from './mcp-key-people.ts';
import { SqlMemberInvitations } from './member-invitations.ts';
import { SqlMembers } from './members.ts';
import { MeteredPool } from './metered-pool.ts';
import { type MigrationListener, migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { SqlModuleStores } from './module-stores.ts';
import { SqlMovedRows } from './moving/moved-rows.ts';
import { SqlOrganizations } from './organizations.ts';
import { SqlOwnBatchLines } from './own-batch-lines.ts';
import { SqlOwnBatches } from './own-batches.ts';
import { SqlPaidAnswers } from './paid-answers.ts';
import { SqlProcesses } from './processes.ts';
import { SqlProjectMembers } from './project-members.ts';
import { SqlProjects } from './projects.ts';
import { SqlPrompts } from './prompts.ts';
import { SqlProviderKeys } from './provider-keys.ts';
import { SqlReceipts } from './receipts.ts';
import { SqlRecharges } from './recharges.ts';
import { SqlRecordingTable } from './recording-table.ts';
import { SqlRequestLog } from './request-log.ts';
import { SqlScimGroups } from './scim-groups.ts';
import { SqlScimTokens } from './scim-tokens.ts';
import { SqlScimUsers } from './scim-users.ts';
import { SqlServiceAccounts } from './service-accounts.ts';
import { SqlSessions } from './sessions.ts';
import { SqlSettlements } from './settlements.ts';
import { SqlSharedDocuments } from './shared-documents.ts';
import { SqlSignOnAdmissions } from './sign-on-admissions.ts';
import { SqlSignOnDomains } from './sign-on-domains.ts';
import { SqlSignOns } from './sign-ons.ts';
import type { SqlDialect } from './sql-dialect.ts';
import { reportStorage } from './stored-parts.ts';
import type { SchemaTables, Tables } from './tables.ts';
import { SqlTokenIssuers } from './token-issuers.ts';
import { SqlUsageStore } from './usage-store.ts';
import { SqlVectorTable } from './vector-table.ts';

export const defaultPoolBounds: PoolBounds = {
  connectionsMax: limits.databaseConnectionsMax,
  waitMs: limits.databaseWaitMs,
  statementMs: limits.databaseStatementMs,
  answerMs: limits.databaseAnswerMs,
};

export interface SqlBackend {
  readonly dialect: SqlDialect;
  readonly bounds: PoolBounds;
  createPool(poolBounds: PoolBounds): AdjustablePool;
  /** Whether each pool has a database of its own. */
  readonly isPrivate?: true;
  /** The clock of entries that expire. */
  readonly clock?: Clock | undefined;
  /** Called with the duration of each statement. */
  readonly onStatement?: ((ms: number) => void) | undefined;
  readonly migrationListener?: MigrationListener | undefined;
}

/**
 * Rejects with a one-line message if the database can't be reached or migrated. With `mayBeNewer` it accepts a schema
 * that a newer version has extended, like processes that already have the database open.
 */
export async function openSqlDatabase(backend: SqlBackend, mayBeNewer = false): Promise<Database> {
  const pool = backend.createPool(migrationBounds(backend.bounds));
  try {
    await migrateSchema(backend, pool, mayBeNewer);
    await pool.changeBounds(backend.bounds);
  } catch (failure) {
    await pool.close();
    throw failure;
  }
  return new SqlDatabase(backend, pool);
}

function migrationBounds({ waitMs }: PoolBounds): PoolBounds {
  return { connectionsMax: 1, waitMs, statementMs: limits.migrationMs, answerMs: limits.migrationMs };
}

async function migrateSchema(
  { dialect, migrationListener: listener }: SqlBackend,
  connectionPool: ConnectionPool,
  allowNewerSchema: boolean,
): Promise<void> {
  try {
    const db = new Kysely<SchemaTables>({ dialect: createKyselyDialect(dialect, connectionPool) });
    await migrate(db, { dialect, migrations, allowNewerSchema, listener });
  } catch (error) {
    // Callers don't see the cause, but the operator needs it.
    const cause = GatewayError.is(error) ? error.cause : error;
    throw new Error(`the database can't be used: ${errorMessage(cause)}`, {
      cause,
    });
  }
}

/** All stores, on SQLite or PostgreSQL. */
class SqlDatabase implements Database {
  readonly identities: Identities;
  readonly members: Members;
  readonly accounts: Accounts;
  readonly organizations: Organizations;
  readonly memberInvitations: MemberInvitations;
  readonly projects: Projects;
  readonly projectMembers: ProjectMembers;
  readonly serviceAccounts: ServiceAccounts;
  readonly loginFactors: LoginFactors;
  readonly sessions: Sessions;
  readonly mcpGrants: McpGrants;
  readonly mcpClients: McpClients;
  readonly mcpKeyPeople: McpKeyPeople;
  readonly signOns: SignOns;
  readonly signOnDomains: SignOnDomains;
  readonly signOnAdmissions: SignOnAdmissions;
  readonly tokenIssuers: TokenIssuers;
  readonly scimTokens: ScimTokens;
  readonly scimUsers: ScimUsers;
  readonly scimGroups: ScimGroups;
  readonly invitations: Invitations;
  readonly mailedTokens: MailedTokens;
  readonly erasures: Erasures;
  readonly accountRows: AccountRows;
  readonly apiKeys: ApiKeys;
  readonly providerKeys: ProviderKeys;
  readonly usage: UsageStore;
  readonly budgets: StoredBudgets;
  readonly requests: RequestLog;
  readonly logRetentions: LogRetentions;
  readonly keyActivities: KeyActivities;
  readonly modules: KeyValueStores;
  readonly collections: CollectionTable;
  readonly configurations: Configurations;
  readonly prompts: Prompts;
  readonly anonSessions: AnonSessions;
  readonly receipts: Receipts;
  readonly challenges: Challenges;
  readonly ledger: Ledger;
  readonly settlements: Settlements;
  readonly paidAnswers: PaidAnswers;
  readonly vectors: VectorTable;
  readonly billing: BillingAccounts;
  readonly credits: Credits;
  readonly recharges: Recharges;
  readonly recordings: RecordingTable;
  readonly callFiles: CallFiles;
  readonly ownBatches: OwnBatches;
  readonly ownBatchLines: OwnBatchLines;
  readonly documents: SharedDocuments;
  readonly processes: Processes;
  readonly alerts: AlertTable;
  readonly audit: AuditTable;
  readonly dataRetentions: DataRetentions;
  readonly legalHolds: LegalHolds;
  readonly announcedChanges: AnnouncedChanges;
  readonly #db: Kysely<Tables>;
  readonly #pool: MeteredPool;
  readonly #connectionsMax: number;
  readonly #backend: SqlBackend;

  constructor(backend: SqlBackend, pool: ConnectionPool) {
    const { dialect: sqlDialect, clock = systemClock, bounds, onStatement } = backend;
    const connectionPool = new MeteredPool(pool, onStatement);
    const db = new Kysely<Tables>({ dialect: createKyselyDialect(sqlDialect, connectionPool) });
    this.#db = db;
    this.#pool = connectionPool;
    this.#backend = backend;
    this.#connectionsMax = bounds.connectionsMax;
    this.identities = new SqlIdentities(db);
    this.members = new SqlMembers(db, sqlDialect);
    this.accounts = new SqlAccounts(db, sqlDialect);
    this.organizations = new SqlOrganizations(db, sqlDialect);
    this.memberInvitations = new SqlMemberInvitations(db, sqlDialect);
    this.projects = new SqlProjects(db, sqlDialect);
    this.projectMembers = new SqlProjectMembers(db, sqlDialect);
    this.serviceAccounts = new SqlServiceAccounts(db, sqlDialect);
    this.loginFactors = new SqlLoginFactors(db, sqlDialect);
    this.sessions = new SqlSessions(db, sqlDialect);
    this.mcpGrants = new SqlMcpGrants(db, sqlDialect);
    this.mcpClients = new SqlMcpClients(db);
    this.mcpKeyPeople = new SqlMcpKeyPeople(db);
    this.signOns = new SqlSignOns(db, sqlDialect);
    this.signOnDomains = new SqlSignOnDomains(db, sqlDialect);
    this.signOnAdmissions = new SqlSignOnAdmissions(db, sqlDialect);
    this.tokenIssuers = new SqlTokenIssuers(db, sqlDialect);
    this.scimTokens = new SqlScimTokens(db, sqlDialect);
    this.scimUsers = new SqlScimUsers(db, sqlDialect);
    this.scimGroups = new SqlScimGroups(db, sqlDialect);
    this.invitations = new SqlInvitations(db);
    this.mailedTokens = new SqlMailedTokens(db, sqlDialect);
    this.accountRows = new SqlAccountRows(db);
    this.erasures = new SqlErasures(db, sqlDialect);
    this.apiKeys = new SqlApiKeys(db, sqlDialect);
    this.providerKeys = new SqlProviderKeys(db, sqlDialect);
    this.usage = new SqlUsageStore(db, sqlDialect);
    this.requests = new SqlRequestLog(db, connectionPool, sqlDialect);
    this.logRetentions = new SqlLogRetentions(this.#db);
    this.keyActivities = new SqlKeyActivities(db, sqlDialect);
    this.modules = new SqlModuleStores(db, clock);
    this.collections = new SqlCollectionTable(db);
    this.configurations = new SqlConfigurations(db, sqlDialect);
    this.prompts = new SqlPrompts(db, sqlDialect);
    this.budgets = new SqlBudgets(db, sqlDialect);
    this.anonSessions = new SqlAnonSessions(db);
    this.receipts = new SqlReceipts(db);
    this.challenges = new SqlChallenges(db);
    this.ledger = new SqlLedger(db);
    this.settlements = new SqlSettlements(db);
    this.paidAnswers = new SqlPaidAnswers(db);
    this.vectors = new SqlVectorTable(db);
    this.billing = new SqlBillingAccounts(db);
    this.credits = new SqlCredits(db, sqlDialect);
    this.recharges = new SqlRecharges(db, sqlDialect);
    this.recordings = new SqlRecordingTable(db);
    this.callFiles = new SqlCallFiles(db);
    this.ownBatches = new SqlOwnBatches(db);
    this.ownBatchLines = new SqlOwnBatchLines(db);
    this.documents = new SqlSharedDocuments(db);
    this.processes = new SqlProcesses(db);
    this.alerts = new SqlAlertTable(db, sqlDialect);
    this.audit = new SqlAudit(db);
    this.dataRetentions = new SqlDataRetentions(db);
    this.legalHolds = new SqlLegalHolds(db, sqlDialect);
    this.announcedChanges = new SqlAnnouncedChanges(db);
  }

  moved(sealings: MovedSealings): MovedRows {
    return new SqlMovedRows(this.#db, this.#backend.dialect, sealings);
  }

  async ping(): Promise<void> {
    await this.now();
  }

  async now(): Promise<number> {
    const { rows } = await withTimeout(
      sql<{ now: number }>`select ${this.#backend.dialect.now} as now`.execute(this.#db),
      limits.databasePingMs,
      () => storageUnavailable('the database is not available'),
    );
    return rows[0]?.now ?? 0;
  }

  async size(): Promise<number> {
    const { rows } = await sql<{ bytes: number }>`select ${this.#backend.dialect.size} as bytes`.execute(
      this.#db,
    );
    return Number(rows[0]?.bytes ?? 0);
  }

  storage(nowMs: number): Promise<StorageReport> {
    return reportStorage(this.#backend, this.#db, nowMs);
  }

  async schemaVersions(): Promise<{ readonly applied: number; readonly known: number }> {
    const { version } = await this.#db
      .selectFrom('schema_migrations')
      .select(({ fn }) => fn.max('version').as('version'))
      .executeTakeFirstOrThrow();
    return { applied: Number(version), known: migrations.length };
  }

  load(): DatabaseLoad {
    const { inUse, waiting } = this.#pool;
    return { connectionsMax: this.#connectionsMax, inUse, waiting };
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** An AggregateError for several addresses has no message of its own. */
function errorMessage(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(errorMessage).join('; ');
  return cause instanceof Error ? cause.message : String(cause);
}
