import { type Kysely, sql } from 'kysely';
import type {
  McpGrant,
  McpGrantId,
  McpGrants,
  RefreshLease,
  SealedSecret,
} from '../../kernel/ports/mcp-authorization.ts';
import { lockAccount } from './accounts.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

type GrantRow = Omit<Tables['mcp_grants'], 'refresh_holder' | 'refresh_until_ms'>;

const grantColumns = [
  ...([
    'account_id',
    'person_id',
    'server',
    'issuer',
    'resource',
    'client_id',
    'sealed_by',
    'sealed',
  ] as const),
  ...([
    'scope',
    'wanted_scope',
    'expires_at_ms',
    'version',
    'ended',
    'created_at_ms',
    'updated_at_ms',
  ] as const),
] as const;

export class SqlMcpGrants implements McpGrants {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  async find(id: McpGrantId): Promise<McpGrant | undefined> {
    const row = await this.#db
      .selectFrom('mcp_grants')
      .select(grantColumns)
      .where(isGrant(id))
      .executeTakeFirst();
    return row && toGrant(row);
  }

  async list(accountId: string, personId: string): Promise<readonly McpGrant[]> {
    const rows = await this.#db
      .selectFrom('mcp_grants')
      .select(grantColumns)
      .where('account_id', '=', accountId)
      .where('person_id', '=', personId)
      .orderBy('server')
      .execute();
    return rows.map(toGrant);
  }

  /** The lock keeps a person from being removed at the same time. */
  put(grant: McpGrant): Promise<boolean> {
    const row = { ...toRow(grant), refresh_holder: null, refresh_until_ms: null };
    return this.#db.transaction().execute(async (trx) => {
      await lockAccount(trx, this.#locksRows, grant.accountId);
      const member = await trx
        .selectFrom('memberships')
        .select('role')
        .where('account_id', '=', grant.accountId)
        .where(sql<boolean>`identity_id = ${grant.personId}`)
        .executeTakeFirst();
      if (member === undefined && grant.accountId !== localAccount) return false;
      await trx
        .insertInto('mcp_grants')
        .values(row)
        .onConflict((conflict) => conflict.columns(['account_id', 'person_id', 'server']).doUpdateSet(row))
        .execute();
      return true;
    });
  }

  async lease(
    id: McpGrantId,
    { version, holder }: RefreshLease,
    { nowMs, untilMs }: { readonly nowMs: number; readonly untilMs: number },
  ): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('mcp_grants')
      .set({ refresh_holder: holder, refresh_until_ms: untilMs })
      .where(isGrant(id))
      .where('version', '=', version)
      .where('ended', '=', 0)
      .where((the) => the.or([the('refresh_until_ms', 'is', null), the('refresh_until_ms', '<=', nowMs)]))
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async renew(grant: McpGrant, lease: RefreshLease): Promise<boolean> {
    const { created_at_ms: _created, wanted_scope: _wanted, ...row } = toRow(grant);
    const { numUpdatedRows } = await this.#db
      .updateTable('mcp_grants')
      .set({ ...row, refresh_holder: null, refresh_until_ms: null })
      .where(isLeased(grant, lease))
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async release(id: McpGrantId, lease: RefreshLease): Promise<void> {
    await this.#db
      .updateTable('mcp_grants')
      .set({ refresh_holder: null, refresh_until_ms: null })
      .where(isLeased(id, lease))
      .execute();
  }

  async end(id: McpGrantId, version: string, nowMs: number): Promise<void> {
    await this.#db
      .updateTable('mcp_grants')
      .set({ ended: 1, refresh_holder: null, refresh_until_ms: null, updated_at_ms: nowMs })
      .where(isGrant(id))
      .where('version', '=', version)
      .execute();
  }

  async want(id: McpGrantId, scope: string): Promise<void> {
    await this.#db.updateTable('mcp_grants').set({ wanted_scope: scope }).where(isGrant(id)).execute();
  }

  async delete(id: McpGrantId): Promise<McpGrant | undefined> {
    const row = await this.#db
      .deleteFrom('mcp_grants')
      .where(isGrant(id))
      .returning(grantColumns)
      .executeTakeFirst();
    return row && toGrant(row);
  }

  async notSealedBy(sealedBy: string, most: number): Promise<readonly McpGrant[]> {
    const rows = await this.#db
      .selectFrom('mcp_grants')
      .select(grantColumns)
      .where('sealed_by', '!=', sealedBy)
      .orderBy('account_id')
      .orderBy('person_id')
      .orderBy('server')
      .limit(most)
      .execute();
    return rows.map(toGrant);
  }

  async reseal(grant: McpGrant, { sealedBy, sealed }: SealedSecret): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('mcp_grants')
      .set({ sealed_by: sealedBy, sealed })
      .where(isGrant(grant))
      .where('version', '=', grant.version)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async forgetServer(accountId: string, server: string): Promise<void> {
    await this.#db
      .deleteFrom('mcp_grants')
      .where('account_id', '=', accountId)
      .where('server', '=', server)
      .execute();
  }

  async forget(accountId: string): Promise<void> {
    for (const table of ['mcp_grants', 'mcp_clients', 'mcp_key_people'] as const)
      await sql`delete from ${sql.table(table)} where account_id = ${accountId}`.execute(this.#db);
  }
}

/** The only account without members. */
const localAccount = 'local';

function isGrant({ accountId, personId, server }: McpGrantId) {
  return sql<boolean>`account_id = ${accountId} and person_id = ${personId} and server = ${server}`;
}

function isLeased(id: McpGrantId, { version, holder }: RefreshLease) {
  return sql<boolean>`${isGrant(id)} and version = ${version} and refresh_holder = ${holder}`;
}

function toRow(grant: McpGrant): GrantRow {
  return {
    account_id: grant.accountId,
    person_id: grant.personId,
    server: grant.server,
    issuer: grant.issuer,
    resource: grant.resource,
    client_id: grant.clientId,
    sealed_by: grant.tokens.sealedBy,
    sealed: grant.tokens.sealed,
    scope: grant.scope,
    wanted_scope: grant.wantedScope ?? null,
    expires_at_ms: grant.expiresAtMs ?? null,
    version: grant.version,
    ended: Number(grant.isEnded),
    created_at_ms: grant.createdAtMs,
    updated_at_ms: grant.updatedAtMs,
  };
}

function toGrant(row: GrantRow): McpGrant {
  return {
    accountId: row.account_id,
    personId: row.person_id,
    server: row.server,
    issuer: row.issuer,
    resource: row.resource,
    clientId: row.client_id,
    tokens: { sealedBy: row.sealed_by, sealed: row.sealed },
    scope: row.scope,
    wantedScope: row.wanted_scope ?? undefined,
    expiresAtMs: row.expires_at_ms ?? undefined,
    version: row.version,
    isEnded: row.ended === 1,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  };
}
