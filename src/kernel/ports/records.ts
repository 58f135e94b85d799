import type { AccessRules } from '../access-rules.ts';
import type { ModulesSince } from '../modules-since.ts';
import type { AccountRows } from './account-rows.ts';
import type { AlertTable } from './alerts.ts';
import type { AnnouncedChanges } from './announced-changes.ts';
import type { AuditTable } from './audit.ts';
import type { BillingAccounts, Credits, Recharges } from './billing.ts';
import type { CallLimits } from './call-rates.ts';
import type { CollectionTable } from './collection-table.ts';
import type { Configurations } from './configurations.ts';
import type { DataRetentions } from './data-retentions.ts';
import type { Accounts, Identities, Members } from './identities.ts';
import type { Invitations } from './invitations.ts';
import type { KeyActivities } from './key-activity.ts';
import type { LegalHolds } from './legal-holds.ts';
import type { LogRetentions } from './log-retentions.ts';
import type { LoginFactors } from './login-factors.ts';
import type { McpClients, McpGrants, McpKeyPeople } from './mcp-authorization.ts';
import type { MemberInvitations } from './member-invitations.ts';
import type { KeyValueStores } from './module-store.ts';
import type { MovedRows, MovedSealings } from './moving.ts';
import type { Organizations } from './organizations.ts';
import type { CallFiles, OwnBatches, OwnBatchLines } from './own-batches.ts';
import type { PaidAnswers } from './paid-answers.ts';
import type { Challenges, Ledger } from './payments.ts';
import type { Processes } from './processes.ts';
import type { ProjectMembers, Projects } from './projects.ts';
import type { Prompts } from './prompts.ts';
import type { Receipts } from './receipts.ts';
import type { RecordingMode, RecordingTable } from './recordings.ts';
import type { RequestLog } from './request-log.ts';
import type { AnonSessions } from './sandbox.ts';
import type { ScimGroups, ScimTokens, ScimUsers } from './scim.ts';
import type { ServiceAccounts } from './service-accounts.ts';
import type { Erasures, MailedTokens, Sessions } from './sessions.ts';
import type { Settlements } from './settlements.ts';
import type { SharedDocuments } from './shared-documents.ts';
import type { SignOnAdmissions, SignOnDomains, SignOns } from './sign-on.ts';
import type { StorageReport } from './storage-report.ts';
import type { StoredBudgets } from './stored-budgets.ts';
import type { TokenIssuers } from './token-issuers.ts';
import type { VectorTable } from './vectors.ts';

/** Durable rows and the ports to their stores. Times are milliseconds since 1970. */
export interface Database {
  readonly identities: Identities;
  readonly members: Members;
  readonly accounts: Accounts;
  readonly organizations: Organizations;
  readonly memberInvitations: MemberInvitations;
  readonly projects: Projects;
  readonly projectMembers: ProjectMembers;
  readonly serviceAccounts: ServiceAccounts;
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
  readonly loginFactors: LoginFactors;
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
  /** What moves between instances. */
  moved(sealings: MovedSealings): MovedRows;
  /** Resolves when the database answers, rejects when it doesn't within a bounded time. */
  ping(): Promise<void>;
  /** The time of the database's clock; rejects like `ping`. */
  now(): Promise<number>;
  /** The size of the database in bytes. */
  size(): Promise<number>;
  /** What the database holds, and by how much it grows. Takes seconds in a large one, but other queries don't wait. */
  storage(nowMs: number): Promise<StorageReport>;
  /** The version of the tables, and the one that this process knows. */
  schemaVersions(): Promise<{ readonly applied: number; readonly known: number }>;
  /** How much the connections are used. */
  load(): DatabaseLoad;
  close(): Promise<void>;
}

export interface DatabaseLoad {
  readonly connectionsMax: number;
  readonly inUse: number;
  /** Queries that wait for a connection. */
  readonly waiting: number;
}

export type TierId = 'free' | 'pro' | 'team';

/** Owns keys, calls and money. */
export interface Account {
  readonly id: string;
  readonly tier: TierId;
  /** The current paid period; undefined if calendar months count. */
  readonly period: Period | undefined;
  /** When it becomes a free one, if known. */
  readonly tierEndsMs?: number;
  /** Whether calls beyond the cap are paid for with credits. */
  readonly overage?: true;
  /** The name of an organization. */
  readonly name?: string;
  /** When it is deleted, if an owner has decided so. */
  readonly deletesAtMs?: number;
}

export interface Period {
  readonly startMs: number;
  readonly endMs: number;
}

export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  /** The first characters of the key, for lookups. */
  readonly prefix: string;
  readonly hash: string;
  readonly name: string;
  readonly pipelineConfig: string | null;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** Whether its calls get receipts. */
  readonly receipts: boolean;
  /** Which of its calls are recorded; null for the default of the instance. */
  readonly record: RecordingMode | null;
  /** Undefined if it has none of its own. */
  readonly limits: CallLimits | undefined;
  /** Undefined if it may be used for everything. */
  readonly access: AccessRules | undefined;
  /** Who uses it, in the words of the account; empty if nobody is named. */
  readonly owner: string;
  /** Since when the modules of its own pipeline are in it, by their names. */
  readonly modulesSinceMs: ModulesSince;
  /** Null for a key of the account itself. */
  readonly projectId: string | null;
}

/** An active key with its account. */
export interface ActiveApiKey {
  readonly key: ApiKey;
  readonly account: Account;
  /** Whether an operator has closed the account, or the project is archived. */
  readonly isClosed: boolean;
}

/** The credential of a change. The change is rejected if the credential has ended meanwhile. */
export interface PresentedCredential {
  readonly kind: 'session' | 'service' | 'key';
  readonly id: string;
}

export type ApiKeyChanges = Partial<
  Pick<ApiKey, 'name' | 'owner' | 'pipelineConfig' | 'modulesSinceMs' | 'receipts' | 'record'>
> & {
  /** Null clears a limit. */
  readonly limits?: { readonly [Name in keyof CallLimits]?: number | null | undefined };
  /** Null clears a rule. */
  readonly access?: { readonly [Name in keyof AccessRules]?: AccessRules[Name] | null };
};

export interface ApiKeys {
  /** False if the project, or the account outside of projects, already has `activeMax` active keys, even with concurrent additions. */
  add(key: ApiKey, activeMax: number, shown?: PresentedCredential): Promise<boolean>;
  /** All keys of an account, or of one of its projects, including revoked ones, the newest first. */
  list(accountId: string, projectId?: string): Promise<readonly ApiKey[]>;
  byId(id: string): Promise<ApiKey | undefined>;
  /** Active keys with this prefix. */
  active(prefix: string): Promise<readonly ActiveApiKey[]>;
  /** The changed key; undefined if the account has no such active key. */
  change(accountId: string, id: string, changes: ApiKeyChanges): Promise<ApiKey | undefined>;
  /** Moves an active key to a project, or out of any, unless there are `activeMax` already. */
  move(
    key: Pick<ApiKey, 'accountId' | 'id'>,
    projectId: string | null,
    activeMax: number,
  ): Promise<'moved' | 'unknown' | 'limit_reached'>;
  /** The projects of those keys of an account that are in one. */
  projects(accountId: string, keyIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The newest of a project, including revoked ones. */
  idsOfProject(accountId: string, projectId: string, most: number): Promise<readonly string[]>;
  /** False if the account has no such active key. */
  revoke(accountId: string, id: string, atMs: number): Promise<boolean>;
  /** Stores the last use of keys, by id; an earlier time never replaces a later one. */
  touch(uses: ReadonlyMap<string, number>): Promise<void>;
}

/** A sealed provider key of an account. */
export interface SealedKey {
  readonly accountId: string;
  readonly provider: string;
  /** Unique among the keys of the account for the provider. */
  readonly id: string;
  /** Chosen by the user; may be empty. */
  readonly name: string;
  /** Its share of the conversations, in relation to the weights of the other keys. */
  readonly weight: number;
  /** The id of the sealing key. */
  readonly sealedBy: string;
  readonly sealed: Uint8Array;
  /** The last characters, to tell keys apart. */
  readonly hint: string | null;
  readonly updatedAtMs: number;
}

export interface ProviderKeyId {
  readonly accountId: string;
  readonly provider: string;
  readonly id: string;
}

/** The provider keys of accounts, one or several for each provider. */
export interface ProviderKeys {
  /** Stores the first key of a provider, or replaces it: then its id, name and weight stay. */
  put(key: SealedKey, shown?: PresentedCredential): Promise<void>;
  /** False without a change if there is one already. */
  putIfAbsent(key: SealedKey, shown?: PresentedCredential): Promise<boolean>;
  /** Stores one more key of a provider; false without a change if there are `most` already. */
  add(key: SealedKey, most: number, shown?: PresentedCredential): Promise<boolean>;
  /** The first key of each provider, by provider. */
  list(accountId: string): Promise<readonly SealedKey[]>;
  /** All keys of a provider: the first, then the others by age. */
  ofProvider(accountId: string, provider: string): Promise<readonly SealedKey[]>;
  /** Deletes all keys of a provider; false if there are none. */
  delete(accountId: string, provider: string): Promise<boolean>;
  /** Deletes one key; if it was the first, the oldest of the others is the first from then on. */
  deleteOne(key: ProviderKeyId): Promise<boolean>;
  /** Up to `most` keys that were sealed with another sealing key. */
  notSealedBy(sealedBy: string, most: number): Promise<readonly SealedKey[]>;
  /** Replaces the sealed bytes if they are unchanged; keeps the key's own time. */
  reseal(before: SealedKey, after: Pick<SealedKey, 'sealed' | 'sealedBy'>): Promise<boolean>;
}

/** The usage of an account on a UTC day, by model and key. */
export interface UsageDay extends UsageSums {
  readonly accountId: string;
  /** `2026-11-15`. */
  readonly day: string;
  /** Empty without a key. */
  readonly keyId: string;
  readonly provider: string;
  readonly model: string;
}

export interface UsageSums {
  readonly requests: number;
  /** Calls without a 2xx response. */
  readonly failed: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly costNanoUsd: number;
}

/** The usage of an account on a UTC day, by tag. A call counts once for each of its tags. */
export interface TagDay extends UsageSums {
  readonly accountId: string;
  /** `2026-11-15`. */
  readonly day: string;
  /** Empty for all further tags, if the account has too many on that day. */
  readonly tag: string;
  /** Empty for all further values of the tag on that day. */
  readonly value: string;
}

/** What the calls that a stored budget limits have cost in an hour, where days of usage can't tell it. */
export interface BudgetHour {
  readonly accountId: string;
  readonly budgetId: string;
  /** The end user or the value of the tag, if each has the budget by itself; otherwise empty. */
  readonly value: string;
  /** The start of the hour. */
  readonly hourMs: number;
  readonly costNanoUsd: number;
}

/** The effect of a module for an account on a UTC day. */
export interface ModuleDay {
  readonly accountId: string;
  /** `2026-11-15`. */
  readonly day: string;
  readonly module: string;
  /** Calls that the module ran in. */
  readonly calls: number;
  /** The sum of what calls reported as saved; negative if it cost more. */
  readonly savedNanoUsd: number;
  /** The cost of its own questions to models. */
  readonly spentNanoUsd: number;
  /** Conversations of a trial: treated ones and the holdout. */
  readonly with: TrialSums;
  readonly without: TrialSums;
}

/** The cost of conversations and its variance. */
export interface TrialSums {
  readonly conversations: number;
  readonly costNanoUsd: number;
  /** The sum of the squared costs, in dollars. */
  readonly squaredUsd: number;
}

/** Calls of an account that count against its quota, in one period. */
export interface QuotaCalls {
  readonly accountId: string;
  readonly periodStartMs: number;
  readonly calls: number;
  /** Calls beyond this number in the period are paid for with credits; undefined if none are. */
  readonly paidPast?: number | undefined;
}

/** Sums to be added in one transaction. Adding a batch again changes nothing. */
export interface UsageBatch {
  readonly id: string;
  readonly atMs: number;
  readonly days: readonly UsageDay[];
  readonly counted: readonly QuotaCalls[];
  /** The effects of modules. */
  readonly modules?: readonly ModuleDay[];
  readonly tags?: readonly TagDay[];
  readonly budgetHours?: readonly BudgetHour[];
  /** Current reservations, written even if the batch was added before. */
  readonly reserved?: readonly Reservation[];
  /** Amounts of this batch that a killed process had reserved: its reservations are lowered by them. */
  readonly settled?: readonly SettledAmount[];
}

/** Calls or money that a process may use before it stores the result; counts as used until the process lowers it. */
export interface Reservation {
  readonly processId: string;
  readonly accountId: string;
  readonly of: 'calls' | 'spending';
  /** The key for money; empty for calls. */
  readonly keyId: string;
  /** The period for calls; 0 for money, which counts in the day and month when it was last written. */
  readonly periodStartMs: number;
  /** Calls, or nano USD; 0 deletes the reservation. */
  readonly amount: number;
  /** When it was written. */
  readonly atMs: number;
  /** When it expires. */
  readonly untilMs: number;
}

/** A part of a reservation that was used. */
export type SettledAmount = Omit<Reservation, 'atMs' | 'untilMs'>;

/** Reservations of one account in one period, or of one key. */
export type ReservationQuery = Pick<Reservation, 'accountId' | 'of' | 'keyId' | 'periodStartMs'>;

/** Stored calls of a period and all reservations for more, in one snapshot. */
export interface QuotaUsage {
  readonly calls: number;
  readonly reserved: readonly Reservation[];
}

export interface UsageStore {
  /**
   * Takes the credits for calls beyond a cap in the same transaction; resolves to the accounts that paid this way, or to undefined
   * if the batch was added before.
   */
  add(batch: UsageBatch): Promise<readonly string[] | undefined>;
  /** Replaces earlier reservations of the same processes, all or nothing. */
  reserve(reservations: readonly Reservation[]): Promise<void>;
  /** Deletes those whose time is over; resolves to the holders of budgets that they counted in. */
  endReservations(nowMs: number): Promise<readonly Pick<ReservationQuery, 'accountId' | 'keyId'>[]>;
  /** All reservations of all processes. */
  reserved(query: ReservationQuery): Promise<readonly Reservation[]>;
  /** Days from `from` to `to` inclusive, of one account or of all, ordered by day, key, provider, model. */
  days(query: UsageDaysQuery): Promise<readonly UsageDay[]>;
  /** The same summed up. */
  groups(query: UsageDaysQuery): Promise<UsageGroups>;
  /** The same summed up by the projects that the keys are in now, in no order. */
  projects(query: UsageDaysQuery): Promise<readonly ProjectUsage[]>;
  /** The same for the effects of modules, ordered by day and module. */
  modules(query: {
    readonly accountId: string | undefined;
    readonly from: string;
    readonly to: string;
  }): Promise<readonly ModuleDay[]>;
  /** The same by tag, ordered by day, tag and value; of one tag or of all. */
  tags(query: {
    readonly accountId: string | undefined;
    readonly from: string;
    readonly to: string;
    readonly tag?: string | undefined;
  }): Promise<readonly TagDay[]>;
  /** Hours of a budget from `fromMs` on; of one value or of all. */
  budgetHours(query: {
    readonly accountId: string;
    readonly budgetId: string;
    readonly value?: string | undefined;
    readonly fromMs: number;
  }): Promise<readonly BudgetHour[]>;
  /** Sums of accounts over their keys and models, for each period. */
  sums(query: UsageSumsQuery): Promise<readonly AccountUsage[]>;
  quotaUsage(accountId: string, periodStartMs: number): Promise<QuotaUsage>;
}

export interface UsageDaysQuery {
  readonly accountId: string | undefined;
  /** Undefined for all keys. */
  readonly keyIds?: readonly string[] | undefined;
  /** UTC days, inclusive. */
  readonly from: string;
  readonly to: string;
}

/** The same usage in two groupings, of one moment, in no order: the other labels are empty. */
export interface UsageGroups {
  /** By day and model. */
  readonly models: readonly UsageDay[];
  readonly keys: readonly UsageDay[];
}

export interface ProjectUsage extends UsageSums {
  /** Null for keys outside of projects. */
  readonly projectId: string | null;
}

export interface UsageSumsQuery {
  /** Undefined for all. */
  readonly accountId: string | undefined;
  /** UTC days, inclusive. */
  readonly from: string;
  readonly to: string;
  readonly per: 'day' | 'month' | 'range';
}

export interface AccountUsage extends UsageSums {
  readonly accountId: string;
  /** A day, a month, or empty for the whole range. */
  readonly period: string;
}
