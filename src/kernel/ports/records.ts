import type { AccountRows } from './account-rows.ts';
import type { ArchiveTable } from './archive.ts';
import type { BillingAccounts, Credits, Recharges } from './billing.ts';
import type { ModuleStores } from './module-store.ts';
import type { PaidAnswers } from './paid-answers.ts';
import type { PatternTable } from './patterns.ts';
import type { Challenges, Ledger } from './payments.ts';
import type { Receipts } from './receipts.ts';
import type { RequestLog } from './request-log.ts';
import type { AnonSessions } from './sandbox.ts';
import type { Erasures, MailedTokens, Sessions } from './sessions.ts';
import type { Settlements } from './settlements.ts';
import type { VectorTable } from './vectors.ts';

/** Rows that must outlive the process, and the ports to where they are kept. Times are milliseconds since 1970. */
export interface Database {
  readonly users: Users;
  readonly sessions: Sessions;
  readonly mailedTokens: MailedTokens;
  readonly erasures: Erasures;
  readonly accountRows: AccountRows;
  readonly apiKeys: ApiKeys;
  readonly providerKeys: ProviderKeys;
  readonly usage: UsageStore;
  readonly requests: RequestLog;
  readonly modules: ModuleStores;
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
  readonly patterns: PatternTable;
  readonly archive: ArchiveTable;
  /** Resolves when the database answers, rejects when it doesn't within a bounded time. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export type TierId = 'free' | 'pro' | 'team';

/** Whose keys, calls and money these are. */
export interface Account {
  readonly id: string;
  readonly tier: TierId;
  /** The paid period that is running; undefined where months of the calendar count. */
  readonly period: Period | undefined;
  /** From when on it is a free one, where that is known already. */
  readonly tierEndsMs?: number;
  /** Whether calls past the cap are paid for with credits. */
  readonly overage?: true;
}

export interface Period {
  readonly startMs: number;
  readonly endMs: number;
}

export interface User extends Account {
  /** As it was typed, trimmed. */
  readonly email: string;
  readonly passwordHash: string;
  readonly createdAtMs: number;
  /** When it was shown that mail to the address is read by whose account it is. */
  readonly verifiedAtMs?: number;
  /** Since when an operator has closed it. */
  readonly disabledAtMs?: number;
}

export interface Users {
  /** False where the address is taken, compared without case. */
  add(user: User): Promise<boolean>;
  byEmail(email: string): Promise<User | undefined>;
  byId(id: string): Promise<User | undefined>;
  /** By address, after this one as it is compared. */
  page(afterEmail: string, limit: number): Promise<readonly User[]>;
  /** False, and nothing changed, where the password is another by now. Ends other sessions, and links that were sent. */
  changePassword(change: PasswordChange): Promise<boolean>;
  /** Closes an account, and ends its sessions and links; or opens it again, with null. */
  setDisabled(accountId: string, atMs: number | null): Promise<void>;
  /** The account is gone, with its keys, sessions and links, and what is left of it is to be erased; false as above. */
  erase(accountId: string, passwordHash: string, atMs: number): Promise<boolean>;
}

export interface PasswordChange {
  readonly accountId: string;
  /** Hashes. */
  readonly before: string;
  readonly after: string;
  /** The session that goes on. */
  readonly currentSession: string;
}

export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  /** The first characters of the key, by which it is looked up. */
  readonly prefix: string;
  readonly hash: string;
  readonly name: string;
  readonly pipelineConfig: string | null;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** Whether its calls get receipts. */
  readonly receipts: boolean;
}

/** A key that isn't revoked, with whose it is. */
export interface ActiveApiKey {
  readonly key: ApiKey;
  readonly account: Account;
  /** Whether an operator has closed the account. */
  readonly isClosed: boolean;
}

/** What a change was asked for with. The change is refused where that has ended meanwhile. */
export interface PresentedCredential {
  readonly kind: 'session' | 'key';
  readonly id: string;
}

export type ApiKeyChanges = Partial<Pick<ApiKey, 'name' | 'pipelineConfig' | 'receipts'>>;

export interface ApiKeys {
  /** False where the account has `activeMax` unrevoked keys already, also when many are added at once. */
  add(key: ApiKey, activeMax: number, shown?: PresentedCredential): Promise<boolean>;
  /** All of an account, revoked ones included, the newest first. */
  list(accountId: string): Promise<readonly ApiKey[]>;
  byId(id: string): Promise<ApiKey | undefined>;
  /** Unrevoked keys that begin like this. */
  active(prefix: string): Promise<readonly ActiveApiKey[]>;
  /** The key as it then is; undefined where the account has no such unrevoked key. */
  change(accountId: string, id: string, changes: ApiKeyChanges): Promise<ApiKey | undefined>;
  /** False where the account has no such unrevoked key. */
  revoke(accountId: string, id: string, atMs: number): Promise<boolean>;
  /** When keys were last used, by id; an earlier time never replaces a later one. */
  touch(uses: ReadonlyMap<string, number>): Promise<void>;
}

/** A provider's key of an account, sealed. */
export interface SealedKey {
  readonly accountId: string;
  readonly provider: string;
  /** Which sealing key opens it. */
  readonly sealedBy: string;
  readonly sealed: Uint8Array;
  /** The last characters, to tell keys apart. */
  readonly hint: string | null;
  readonly updatedAtMs: number;
}

export interface ProviderKeys {
  put(key: SealedKey, shown?: PresentedCredential): Promise<void>;
  /** False, and nothing changed, where there is one already. */
  putIfAbsent(key: SealedKey, shown?: PresentedCredential): Promise<boolean>;
  get(accountId: string, provider: string): Promise<SealedKey | undefined>;
  /** By provider. */
  list(accountId: string): Promise<readonly SealedKey[]>;
  delete(accountId: string, provider: string): Promise<boolean>;
  /** Up to `most` keys that another sealing key than this one opens. */
  notSealedBy(sealedBy: string, most: number): Promise<readonly SealedKey[]>;
  /** Replaces the sealed bytes if they are still what they were; the key's own time stays. */
  reseal(before: SealedKey, after: Pick<SealedKey, 'sealed' | 'sealedBy'>): Promise<boolean>;
}

/** What an account used on a day of UTC, of one model with one key. */
export interface UsageDay extends UsageSums {
  readonly accountId: string;
  /** `2026-11-15`. */
  readonly day: string;
  /** Empty where no key was used. */
  readonly keyId: string;
  readonly provider: string;
  readonly model: string;
}

export interface UsageSums {
  readonly requests: number;
  /** Of those, the ones that were not answered 2xx. */
  readonly failed: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly costNanoUsd: number;
}

/** What a module did for an account on a day of UTC. */
export interface ModuleDay {
  readonly accountId: string;
  /** `2026-11-15`. */
  readonly day: string;
  readonly module: string;
  /** What it saved by the word of each call; less than 0 where it cost more. */
  readonly savedNanoUsd: number;
  /** What its own questions to models cost. */
  readonly spentNanoUsd: number;
  /** Conversations of a trial: those in which it did its work, and those that went without. */
  readonly with: TrialSums;
  readonly without: TrialSums;
}

/** What conversations cost, and how far that is spread. */
export interface TrialSums {
  readonly conversations: number;
  readonly costNanoUsd: number;
  /** The sum of what each cost, in dollars and squared. */
  readonly squaredUsd: number;
}

/** Calls of an account that count against its quota, in one period. */
export interface QuotaCalls {
  readonly accountId: string;
  readonly periodStartMs: number;
  readonly calls: number;
  /** Calls past so many in the period are paid for with credits; undefined where none are. */
  readonly paidPast?: number | undefined;
}

/** Sums to be added in one transaction. A batch that is added again changes nothing. */
export interface UsageBatch {
  readonly id: string;
  readonly atMs: number;
  readonly days: readonly UsageDay[];
  readonly counted: readonly QuotaCalls[];
  /** What modules did. */
  readonly modules?: readonly ModuleDay[];
  /** As they are when the batch is added, written also where it was added before. */
  readonly reserved?: readonly Reservation[];
}

/** What a process may let through before it has stored what came of it; it counts as used until the process says less. */
export interface Reservation {
  readonly processId: string;
  readonly accountId: string;
  readonly of: 'calls' | 'spending';
  /** Whose money it is; empty for calls. */
  readonly keyId: string;
  /** In which calls count; 0 for money, which counts in whatever day and month it was last written. */
  readonly periodStartMs: number;
  /** Calls, or billionths of a dollar; nothing is kept of 0. */
  readonly amount: number;
  /** When it was written. */
  readonly atMs: number;
  /** From when on nobody asks for it. */
  readonly untilMs: number;
}

/** Reservations of one account in one period, or of one key. */
export type ReservationQuery = Pick<Reservation, 'accountId' | 'of' | 'keyId' | 'periodStartMs'>;

/** Calls of a period that are stored, and all that is reserved for more, read in one moment. */
export interface QuotaUsage {
  readonly calls: number;
  readonly reserved: readonly Reservation[];
}

export interface UsageStore {
  /** Takes the credits for calls past a cap in the same step; resolves to the accounts that paid so. */
  add(batch: UsageBatch): Promise<readonly string[]>;
  /** Replaces what the same processes reserved for the same before, all or nothing. */
  reserve(reservations: readonly Reservation[]): Promise<void>;
  /** All that is reserved, by any process. */
  reserved(question: ReservationQuery): Promise<readonly Reservation[]>;
  /** Days from `from` to `to`, both included, of one account or of all, in order of day, key, provider, model. */
  days(question: {
    readonly accountId: string | undefined;
    readonly from: string;
    readonly to: string;
  }): Promise<readonly UsageDay[]>;
  /** The same of what modules did, in order of day and module. */
  modules(question: {
    readonly accountId: string | undefined;
    readonly from: string;
    readonly to: string;
  }): Promise<readonly ModuleDay[]>;
  quotaUsage(accountId: string, periodStartMs: number): Promise<QuotaUsage>;
}
