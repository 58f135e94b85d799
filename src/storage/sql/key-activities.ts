import { type Kysely, sql } from 'kysely';
import type {
  ActiveKey,
  ActivityOfKey,
  ActivityPart,
  KeyActivities,
  KeyActivity,
  StoredKeyState,
} from '../../kernel/ports/key-activity.ts';
import { selectRows } from './json-rows.ts';
import { acquireLease } from './leases.ts';
import { isOfAccount, kindIsCached, kindIsFailed, kindModel, sumAsBigint } from './request-sum-columns.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

const lease = 'anomalies';

interface TimeQuery {
  readonly fromMs: number;
  readonly toMs: number;
  readonly partMs: number;
  readonly most: number;
}

export class SqlKeyActivities implements KeyActivities {
  readonly #db: Kysely<Tables>;
  readonly #dialect: SqlDialect;

  constructor(db: Kysely<Tables>, dialect: SqlDialect) {
    this.#db = db;
    this.#dialect = dialect;
  }

  acquireLease(holder: string, nowMs: number, untilMs: number): Promise<boolean> {
    return acquireLease(this.#db, lease, { holder, nowMs, untilMs });
  }

  async sums({ fromMs, toMs, partMs, most }: TimeQuery): Promise<readonly ActivityOfKey[]> {
    // SQLite preserves the order of a cross join.
    const { rows } = await sql<KeyActivity & ActiveKey & { readonly part: number }>`
      select request_sums.account_id as "accountId", coalesce(request_kinds.key_id, '') as "keyId",
        ${partOf(fromMs, partMs)} as "part", ${activitySums}
      from request_sums cross join request_kinds
      where request_kinds.kind = request_sums.kind and ${during(fromMs, toMs)}
      group by 1, 2, 3 limit ${most}`.execute(this.#db);
    return rows.map(({ accountId, keyId, part, ...activity }) => ({ accountId, keyId, part, activity }));
  }

  async parts(
    { accountId, keyId }: ActiveKey,
    { fromMs, toMs, partMs, most }: TimeQuery,
  ): Promise<readonly ActivityPart[]> {
    const { rows } = await sql<
      KeyActivity & Omit<ActivityPart, 'activity' | 'atMs'> & { readonly part: number }
    >`
      select ${partOf(fromMs, partMs)} as "part", ${kindModel} as "model", request_kinds.provider as "provider",
        request_kinds.client as "client",
        case when ${kindIsFailed} = 1 then coalesce(request_kinds.provider_error, request_kinds.error_code, cast(request_kinds.status as text)) end as "error",
        ${activitySums}
      from request_sums cross join request_kinds
      where request_kinds.kind = request_sums.kind and ${isOfAccount('request_sums', accountId, { fromMs, toMs })}
        and coalesce(request_kinds.key_id, '') = ${keyId}
      group by 1, 2, 3, 4, 5 order by 1 limit ${most}`.execute(this.#db);
    return rows.map(({ part, model, provider, client, error, ...activity }) => ({
      ...{ atMs: fromMs + part * partMs, model, provider, client, error },
      activity,
    }));
  }

  async states(keys: readonly ActiveKey[]): Promise<readonly Omit<StoredKeyState, 'past'>[]> {
    const { rows } = await sql<
      Omit<StoredKeyState, 'past' | 'hasIncident'> & { readonly hasIncident: number }
    >`
      select account_id as "accountId", key_id as "keyId", state, has_incident as "hasIncident", saved_ms as "savedMs"
      from key_states where ${this.#isOneOf(keys)}`.execute(this.#db);
    return rows.map((row) => ({ ...row, hasIncident: row.hasIncident === 1 }));
  }

  async pasts(keys: readonly ActiveKey[]) {
    const { rows } = await sql<ActiveKey & { readonly past: string }>`
      select account_id as "accountId", key_id as "keyId", past from key_states where ${this.#isOneOf(keys)}`.execute(
      this.#db,
    );
    return rows;
  }

  async withIncident(most: number): Promise<readonly ActiveKey[]> {
    const { rows } = await sql<ActiveKey>`select account_id as "accountId", key_id as "keyId"
      from key_states where has_incident = 1 limit ${most}`.execute(this.#db);
    return rows;
  }

  async save(states: readonly StoredKeyState[]): Promise<void> {
    const rows = states.map(({ accountId, keyId, state, past, hasIncident, savedMs }) => [
      ...[accountId, keyId, state, past ?? ''],
      ...[hasIncident ? 1 : 0, savedMs],
    ]);
    if (rows.length === 0) return;
    // No past is empty once it is written.
    await sql`insert into key_states (account_id, key_id, state, past, has_incident, saved_ms)
      ${selectRows(this.#dialect, ['text', 'text', 'text', 'text', 'bigint', 'bigint'], rows)}
      on conflict (account_id, key_id) do update set state = excluded.state,
        past = case when excluded.past = '' then key_states.past else excluded.past end,
        has_incident = excluded.has_incident, saved_ms = excluded.saved_ms`.execute(this.#db);
  }

  async clean(beforeMs: number): Promise<void> {
    await this.#db.deleteFrom('key_states').where('saved_ms', '<', beforeMs).execute();
  }

  async forget(accountId: string): Promise<void> {
    await this.#db.deleteFrom('key_states').where('account_id', '=', accountId).execute();
  }

  #isOneOf(keys: readonly ActiveKey[]) {
    const rows = keys.map(({ accountId, keyId }) => [accountId, keyId]);
    return sql`(account_id, key_id) in (${selectRows(this.#dialect, ['text', 'text'], rows)})`;
  }
}

function during(fromMs: number, toMs: number) {
  return sql`request_sums.at_ms >= ${fromMs} and request_sums.at_ms < ${toMs}`;
}

function partOf(fromMs: number, partMs: number) {
  return sql`(request_sums.at_ms - ${sql.lit(fromMs)}) / ${sql.lit(partMs)}`;
}

const ifKind = (condition: unknown) => sql`case when ${condition} = 1 then request_sums.requests else 0 end`;
const activitySums = sql`${sumAsBigint(sql.ref('request_sums.requests'))} as "calls",
  ${sumAsBigint(ifKind(kindIsFailed))} as "failed", ${sumAsBigint(ifKind(kindIsCached))} as "cached",
  ${sumAsBigint(sql`request_sums.input_tokens + request_sums.cache_read_tokens + request_sums.cache_write_tokens`)} as "promptTokens",
  ${sumAsBigint(sql.ref('request_sums.cache_read_tokens'))} as "cacheReadTokens",
  ${sumAsBigint(sql.ref('request_sums.cost_nano_usd'))} as "costNanoUsd"`;
