import { type CompiledQuery, type Kysely, sql, type Transaction } from 'kysely';
import { GatewayError } from '../../kernel/errors.ts';
import { limits } from '../../kernel/limits.ts';
import { parseModulesSince } from '../../kernel/modules-since.ts';
import type { CallLimits } from '../../kernel/ports/call-rates.ts';
import { type RecordingMode, recordingModes } from '../../kernel/ports/recordings.ts';
import type {
  ActiveApiKey,
  ApiKey,
  ApiKeyChanges,
  ApiKeys,
  PresentedCredential,
} from '../../kernel/ports/records.ts';
import { accountColumns, lockAccount, toAccount } from './accounts.ts';
import { chunks } from './chunks.ts';
import {
  type AccessColumns,
  accessColumns,
  changedAccessColumns,
  toAccessColumns,
  toAccessRules,
} from './key-access-columns.ts';
import { requireCredential } from './require-credential.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

const columns = [
  'api_keys.id',
  'api_keys.account_id as accountId',
  'api_keys.prefix',
  'api_keys.hash',
  'api_keys.name',
  'api_keys.pipeline_config as pipelineConfig',
  'api_keys.created_at_ms as createdAtMs',
  'api_keys.last_used_at_ms as lastUsedAtMs',
  'api_keys.revoked_at_ms as revokedAtMs',
  'api_keys.receipts',
  'api_keys.record',
  'api_keys.requests_per_minute',
  'api_keys.tokens_per_minute',
  'api_keys.concurrent',
  ...accessColumns,
  'api_keys.owner',
  'api_keys.modules_since',
  'api_keys.project_id as projectId',
] as const;

function withParameters<Row>(query: CompiledQuery<Row>, parameters: readonly unknown[]): CompiledQuery<Row> {
  return { ...query, parameters };
}

/** Built once, since calls wait for it; its parameter is the prefix. */
function activeKeysQuery(db: Kysely<Tables>) {
  return db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.account_id')
    .leftJoin('projects', 'projects.id', 'api_keys.project_id')
    .select([...columns, ...accountColumns, 'users.disabled_at_ms', 'projects.archived_at_ms'])
    .where('prefix', '=', '')
    .where('revoked_at_ms', 'is', null)
    .compile();
}

export class SqlApiKeys implements ApiKeys {
  readonly #db: Kysely<Tables>;
  /** False for SQLite, which has a single writer and no row locks. */
  readonly #locksRows: boolean;
  readonly #activeKeys: ReturnType<typeof activeKeysQuery>;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
    this.#activeKeys = activeKeysQuery(db);
  }

  add(key: ApiKey, activeMax: number, shown?: PresentedCredential): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      // Serializes additions of keys to one account, so that the count stays valid until the key is inserted.
      const user = await trx
        .selectFrom('users')
        .select('id')
        .where('id', '=', key.accountId)
        .$if(this.#locksRows, (query) => query.forUpdate())
        .executeTakeFirst();
      if (user === undefined)
        throw new GatewayError('authentication_required', 'the account has been deleted');
      if (shown !== undefined) await requireCredential(trx, key.accountId, shown);
      if ((await countActive(trx, key)) >= activeMax) return false;
      await trx.insertInto('api_keys').values(toRow(key)).execute();
      return true;
    });
  }

  move(
    { accountId, id }: Pick<ApiKey, 'accountId' | 'id'>,
    projectId: string | null,
    activeMax: number,
  ): Promise<'moved' | 'unknown' | 'limit_reached'> {
    return this.#db.transaction().execute(async (trx) => {
      await lockAccount(trx, this.#locksRows, accountId);
      const isActive = sql<boolean>`account_id = ${accountId} and id = ${id} and revoked_at_ms is null`;
      const key = await trx.selectFrom('api_keys').select('project_id').where(isActive).executeTakeFirst();
      if (key === undefined) return 'unknown';
      if (key.project_id === projectId) return 'moved';
      if ((await countActive(trx, { accountId, projectId })) >= activeMax) return 'limit_reached';
      await trx.updateTable('api_keys').set({ project_id: projectId }).where(isActive).execute();
      return 'moved';
    });
  }

  async projects(accountId: string, keyIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const projects = new Map<string, string>();
    for (const some of chunks(keyIds, limits.databaseRowsAtOnce)) {
      const rows = await this.#db
        .selectFrom('api_keys')
        .select(['id', 'project_id'])
        .where('account_id', '=', accountId)
        .where('id', 'in', some)
        .execute();
      for (const { id, project_id } of rows) if (project_id !== null) projects.set(id, project_id);
    }
    return projects;
  }

  async idsOfProject(accountId: string, projectId: string, most: number): Promise<readonly string[]> {
    const rows = await this.#db
      .selectFrom('api_keys')
      .select('id')
      .where('account_id', '=', accountId)
      .where('project_id', '=', projectId)
      .orderBy('created_at_ms', 'desc')
      .orderBy('id', 'desc')
      .limit(most)
      .execute();
    return rows.map(({ id }) => id);
  }

  async list(accountId: string, projectId?: string): Promise<readonly ApiKey[]> {
    const rows = await this.#db
      .selectFrom('api_keys')
      .select(columns)
      .where('account_id', '=', accountId)
      .$if(projectId !== undefined, (query) => query.where('project_id', '=', projectId ?? ''))
      .orderBy('created_at_ms', 'desc')
      .orderBy('id', 'desc')
      .execute();
    return rows.map(toKey);
  }

  async byId(id: string): Promise<ApiKey | undefined> {
    const row = await this.#db.selectFrom('api_keys').select(columns).where('id', '=', id).executeTakeFirst();
    return row && toKey(row);
  }

  async active(prefix: string): Promise<readonly ActiveApiKey[]> {
    const { rows } = await this.#db.executeQuery(withParameters(this.#activeKeys, [prefix]));
    return rows.map(({ disabled_at_ms, archived_at_ms, ...row }) => {
      const { user_id, tier, period_start_ms, period_end_ms, tier_ends_ms, overage, ...rest } = row;
      const { account_name, deletes_at_ms, ...key } = rest;
      const account = toAccount({
        ...{
          user_id,
          tier,
          period_start_ms,
          period_end_ms,
          tier_ends_ms,
          overage,
          account_name,
          deletes_at_ms,
        },
      });
      return { key: toKey(key), account, isClosed: disabled_at_ms !== null || archived_at_ms !== null };
    });
  }

  async change(accountId: string, id: string, changes: ApiKeyChanges): Promise<ApiKey | undefined> {
    const {
      name,
      owner,
      pipelineConfig,
      modulesSinceMs,
      receipts,
      record,
      limits: callLimits = {},
    } = changes;
    const { requestsPerMinute, tokensPerMinute, concurrent } = callLimits;
    const set = {
      ...(name === undefined ? {} : { name }),
      ...(owner === undefined ? {} : { owner }),
      ...(modulesSinceMs === undefined ? {} : { modules_since: JSON.stringify(modulesSinceMs) }),
      ...(pipelineConfig === undefined ? {} : { pipeline_config: pipelineConfig }),
      ...(receipts === undefined ? {} : { receipts: Number(receipts) }),
      ...(record === undefined ? {} : { record }),
      ...(requestsPerMinute === undefined ? {} : { requests_per_minute: requestsPerMinute }),
      ...(tokensPerMinute === undefined ? {} : { tokens_per_minute: tokensPerMinute }),
      ...(concurrent === undefined ? {} : { concurrent }),
      ...changedAccessColumns(changes.access),
    };
    if (Object.keys(set).length === 0) return this.#findActive(accountId, id);
    const changed = await this.#db
      .updateTable('api_keys')
      .set(set)
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .where('revoked_at_ms', 'is', null)
      .returning(columns)
      .executeTakeFirst();
    return changed && toKey(changed);
  }

  async revoke(accountId: string, id: string, atMs: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('api_keys')
      .set({ revoked_at_ms: atMs })
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .where('revoked_at_ms', 'is', null)
      .executeTakeFirstOrThrow();
    return numUpdatedRows === 1n;
  }

  async touch(uses: ReadonlyMap<string, number>): Promise<void> {
    const inOrder = [...uses].sort(([one], [other]) => (one < other ? -1 : 1));
    for (const some of chunks(inOrder, limits.databaseRowsAtOnce)) await this.#touchSome(some);
  }

  #touchSome(uses: readonly (readonly [string, number])[]): Promise<void> {
    const values = sql.join(uses.map(([id, atMs]) => sql`(${id}, cast(${atMs} as bigint))`));
    return this.#db.transaction().execute(async (trx) => {
      // Locks keys in one order, so that concurrent updates can't deadlock.
      if (this.#locksRows)
        await trx
          .selectFrom('api_keys')
          .select('id')
          .where(
            'id',
            'in',
            uses.map(([id]) => id),
          )
          .orderBy('id')
          .forUpdate()
          .execute();
      await sql`with uses (id, at_ms) as (values ${values})
        update api_keys set last_used_at_ms = uses.at_ms from uses
        where api_keys.id = uses.id and coalesce(api_keys.last_used_at_ms, -1) < uses.at_ms`.execute(trx);
    });
  }

  async #findActive(accountId: string, id: string): Promise<ApiKey | undefined> {
    const row = await this.#db
      .selectFrom('api_keys')
      .select(columns)
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .where('revoked_at_ms', 'is', null)
      .executeTakeFirst();
    return row && toKey(row);
  }
}

/** The active keys of a project, or those of an account that are in none. */
async function countActive(
  trx: Transaction<Tables>,
  { accountId, projectId }: Pick<ApiKey, 'accountId' | 'projectId'>,
): Promise<number> {
  const { active } = await trx
    .selectFrom('api_keys')
    .select((the) => the.fn.countAll<number>().as('active'))
    .where('account_id', '=', accountId)
    .where('project_id', 'is not distinct from', projectId)
    .where('revoked_at_ms', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(active);
}

type LimitColumns = Pick<Tables['api_keys'], 'requests_per_minute' | 'tokens_per_minute' | 'concurrent'>;
type ApiKeyRow = Omit<ApiKey, 'receipts' | 'record' | 'limits' | 'access' | 'owner' | 'modulesSinceMs'> &
  Pick<Tables['api_keys'], 'receipts' | 'record' | 'owner' | 'modules_since'> &
  LimitColumns &
  AccessColumns;

function toKey(row: ApiKeyRow): ApiKey {
  const { id, accountId, prefix, hash, name, pipelineConfig, createdAtMs, lastUsedAtMs, revokedAtMs } = row;
  const { modules_since: since, projectId } = row;
  return {
    ...{
      id,
      accountId,
      prefix,
      hash,
      name,
      pipelineConfig,
      createdAtMs,
      lastUsedAtMs,
      revokedAtMs,
      projectId,
    },
    receipts: row.receipts === 1,
    record: toRecordingMode(row.record),
    limits: toCallLimits(row),
    access: toAccessRules(row),
    owner: row.owner ?? '',
    modulesSinceMs: parseModulesSince(since === null ? undefined : JSON.parse(since)),
  };
}

function toCallLimits(row: LimitColumns): CallLimits | undefined {
  const { requests_per_minute: requests, tokens_per_minute: tokens, concurrent } = row;
  if (requests === null && tokens === null && concurrent === null) return undefined;
  return {
    requestsPerMinute: requests ?? undefined,
    tokensPerMinute: tokens ?? undefined,
    concurrent: concurrent ?? undefined,
  };
}

/** A mode of a newer version that this one can't read counts as off. */
function toRecordingMode(text: string | null): RecordingMode | null {
  return text === null ? null : (recordingModes.find((mode) => mode === text) ?? 'off');
}

function toRow(key: ApiKey): Tables['api_keys'] {
  return {
    id: key.id,
    account_id: key.accountId,
    prefix: key.prefix,
    hash: key.hash,
    name: key.name,
    pipeline_config: key.pipelineConfig,
    created_at_ms: key.createdAtMs,
    last_used_at_ms: key.lastUsedAtMs,
    revoked_at_ms: key.revokedAtMs,
    receipts: Number(key.receipts),
    record: key.record,
    requests_per_minute: key.limits?.requestsPerMinute ?? null,
    tokens_per_minute: key.limits?.tokensPerMinute ?? null,
    concurrent: key.limits?.concurrent ?? null,
    ...toAccessColumns(key.access),
    owner: key.owner === '' ? null : key.owner,
    modules_since: JSON.stringify(key.modulesSinceMs),
    project_id: key.projectId,
  };
}
