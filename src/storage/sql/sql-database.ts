import { Kysely, sql } from 'kysely';
import { systemClock } from '../../kernel/clock.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { limits } from '../../kernel/limits.ts';
import type { AccountRows } from '../../kernel/ports/account-rows.ts';
import type { ArchiveTable } from '../../kernel/ports/archive.ts';
import type { BillingAccounts, Credits, Recharges } from '../../kernel/ports/billing.ts';
import type { ModuleStores } from '../../kernel/ports/module-store.ts';
import type { PaidAnswers } from '../../kernel/ports/paid-answers.ts';
import type { PatternTable } from '../../kernel/ports/patterns.ts';
import type { Challenges, Ledger } from '../../kernel/ports/payments.ts';
import type { Receipts } from '../../kernel/ports/receipts.ts';
import type { ApiKeys, Database, ProviderKeys, UsageBook, Users } from '../../kernel/ports/records.ts';
import type { RequestLog } from '../../kernel/ports/request-log.ts';
import type { AnonSessions } from '../../kernel/ports/sandbox.ts';
import type { Erasures, MailedTokens, Sessions } from '../../kernel/ports/sessions.ts';
import type { Settlements } from '../../kernel/ports/settlements.ts';
import { unavailable } from '../../kernel/ports/unavailable.ts';
import type { VectorTable } from '../../kernel/ports/vectors.ts';
import { within } from '../../kernel/within.ts';
import { SqlAccountRows } from './account-rows.ts';
import { SqlAnonSessions } from './anon-sessions.ts';
import { SqlApiKeys } from './api-keys.ts';
import { SqlArchiveTable } from './archive-table.ts';
import { SqlBillingAccounts } from './billing-accounts.ts';
import { SqlChallenges } from './challenges.ts';
import { SqlCredits } from './credits.ts';
import { SqlErasures } from './erasures.ts';
import type { Flavour } from './flavour.ts';
import { SqlLedger } from './ledger.ts';
import type { Bounds, Links } from './links.ts';
import { linksDialect } from './links-dialect.ts';
import { SqlMailedTokens } from './mailed-tokens.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { SqlModuleStores } from './module-stores.ts';
import { SqlPaidAnswers } from './paid-answers.ts';
import { SqlPatternTable } from './pattern-table.ts';
import { SqlProviderKeys } from './provider-keys.ts';
import { SqlReceipts } from './receipts.ts';
import { SqlRecharges } from './recharges.ts';
import { SqlRequestLog } from './request-log.ts';
import { SqlSessions } from './sessions.ts';
import { SqlSettlements } from './settlements.ts';
import type { SchemaTables, Tables } from './tables.ts';
import { SqlUsageBook } from './usage-book.ts';
import { SqlUsers } from './users.ts';
import { SqlVectorTable } from './vector-table.ts';

export const queryBounds: Bounds = {
  linksMax: limits.databaseConnectionsMax,
  waitMs: limits.databaseWaitMs,
  statementMs: limits.databaseStatementMs,
  answerMs: limits.databaseAnswerMs,
};

export interface SqlHome {
  readonly flavour: Flavour;
  readonly bounds: Bounds;
  links(bounds: Bounds): Links;
}

/**
 * Rejects with one clear line where the database can't be reached, or its schema can't be brought up to date. Where it
 * `mayBeNewer`, tables that a newer version has added to are worked with, as those do who have them open.
 */
export async function openSql(home: SqlHome, mayBeNewer = false): Promise<Database> {
  const links = home.links(patient(home.bounds));
  try {
    await bringUpToDate(home.flavour, links, mayBeNewer);
  } finally {
    await links.close();
  }
  return new SqlDatabase(home.flavour, home.links(home.bounds));
}

/** One that is empty, and gone when its link is closed. */
export async function openNewSql({ flavour, bounds, links }: SqlHome): Promise<Database> {
  const only = links(patient(bounds));
  try {
    await bringUpToDate(flavour, only);
  } catch (failure) {
    await only.close();
    throw failure;
  }
  return new SqlDatabase(flavour, only);
}

function patient({ waitMs }: Bounds): Bounds {
  return { linksMax: 1, waitMs, statementMs: limits.migrationMs, answerMs: limits.migrationMs };
}

async function bringUpToDate(flavour: Flavour, links: Links, mayBeNewer = false): Promise<void> {
  try {
    const db = new Kysely<SchemaTables>({ dialect: linksDialect(flavour, links) });
    await migrate(db, { flavour, migrations, mayBeNewer });
  } catch (error) {
    // What callers aren't told is just what the operator needs.
    const cause = GatewayError.is(error) ? error.cause : error;
    throw new Error(`the database can't be used: ${reasonOf(cause)}`, {
      cause,
    });
  }
}

/** The same queries for SQLite and for PostgreSQL. */
class SqlDatabase implements Database {
  readonly users: Users;
  readonly sessions: Sessions;
  readonly mailedTokens: MailedTokens;
  readonly erasures: Erasures;
  readonly accountRows: AccountRows;
  readonly apiKeys: ApiKeys;
  readonly providerKeys: ProviderKeys;
  readonly usage: UsageBook;
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
  readonly #db: Kysely<Tables>;
  readonly #links: Links;

  constructor(flavour: Flavour, links: Links) {
    const db = new Kysely<Tables>({ dialect: linksDialect(flavour, links) });
    this.#db = db;
    this.#links = links;
    this.users = new SqlUsers(db, flavour);
    this.sessions = new SqlSessions(db, flavour);
    this.mailedTokens = new SqlMailedTokens(db, flavour);
    this.accountRows = new SqlAccountRows(db);
    this.erasures = new SqlErasures(db, flavour);
    this.apiKeys = new SqlApiKeys(db, flavour);
    this.providerKeys = new SqlProviderKeys(db, flavour);
    this.usage = new SqlUsageBook(db, flavour);
    this.requests = new SqlRequestLog(db, links, flavour);
    this.modules = new SqlModuleStores(db, systemClock);
    this.anonSessions = new SqlAnonSessions(db);
    this.receipts = new SqlReceipts(db);
    this.challenges = new SqlChallenges(db);
    this.ledger = new SqlLedger(db);
    this.settlements = new SqlSettlements(db);
    this.paidAnswers = new SqlPaidAnswers(db);
    this.vectors = new SqlVectorTable(db);
    this.billing = new SqlBillingAccounts(db);
    this.credits = new SqlCredits(db, flavour);
    this.recharges = new SqlRecharges(db, flavour);
    this.patterns = new SqlPatternTable(db);
    this.archive = new SqlArchiveTable(db);
  }

  async ping(): Promise<void> {
    await within(sql`select 1`.execute(this.#db), limits.databasePingMs, () =>
      unavailable('the database is not available'),
    );
  }

  close(): Promise<void> {
    return this.#links.close();
  }
}

/** An error of several addresses has no message of its own. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join('; ');
  return cause instanceof Error ? cause.message : String(cause);
}
