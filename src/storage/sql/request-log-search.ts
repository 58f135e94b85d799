import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { LogFilter, LoggedCall, LogPage, LogQuery, LogSort } from '../../kernel/ports/request-log.ts';
import { firstIdAt, isRequestIdPrefix } from '../../kernel/request-id.ts';
import { limits } from '../limits.ts';
import { kindsCondition } from './request-kind-filter.ts';
import { callFromRow, requestColumnNames } from './request-log-row.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

/** Ids between these two, exclusive. */
interface IdRange {
  readonly above: string;
  readonly below: string;
}

interface FoundId {
  readonly id: string;
}

/** The first call of a kind. */
interface NearestCall extends FoundId {
  readonly kind: string;
}

interface SortedCall extends FoundId {
  readonly value: number;
}

const sortValues: Readonly<Record<LogSort, RawBuilder<unknown>>> = {
  cost: sql`coalesce(requests.cost_nano_usd, 0)`,
  duration: sql`requests.total_us`,
  tokens: sql`coalesce(requests.input_tokens, 0) + coalesce(requests.cache_read_tokens, 0)
    + coalesce(requests.cache_write_tokens, 0) + coalesce(requests.output_tokens, 0)`,
};

const lowestId = '';
const highestId = '\u{10ffff}';

/**
 * Finds a page of calls by indexes. Without a filter one index is enough. With a filter, it selects the matching kinds
 * first; each is a range of an index. If there are many kinds, it scans the newest calls before; if there are very many, as
 * with a new model name in each call, it scans the calls in bounded steps until the page is full or the time is up; also the calls of a conversation or an end user and
 * those with tags, which have an index of their own, and calls to be sorted, which have none.
 */
export class LogSearch {
  readonly #db: Kysely<Tables>;
  readonly #query: LogQuery;
  readonly #isNewerSide: boolean;
  readonly #dialectName: SqlDialect['name'];

  constructor(db: Kysely<Tables>, dialectName: SqlDialect['name'], query: LogQuery) {
    this.#db = db;
    this.#dialectName = dialectName;
    this.#query = query;
    this.#isNewerSide = query.beside?.side === 'newer';
  }

  async page(): Promise<LogPage> {
    const kinds = kindsCondition(this.#query);
    const { sort } = this.#query;
    if (sort !== undefined) return this.#sortedPage(sortValues[sort], kinds);
    const { session, conversation, endUser, tags, wire } = this.#query.filter;
    if (session !== undefined)
      return this.#limitedPage(await this.#readCalls(this.#idsOfSession(session, this.#idRange())));
    if ([conversation, endUser, tags, wire].some((one) => one !== undefined)) return this.#scan(kinds);
    if (kinds === undefined)
      return this.#limitedPage(await this.#readCalls(this.#idsOfAccount(this.#idRange())));
    const count = await this.#countKinds(kinds);
    if (count > limits.requestKindsMax) return this.#scan(kinds);
    if (count > limits.requestKindsFew) {
      const page = await this.#scan(kinds, limits.requestLogFirstSteps);
      if (!page.more || page.calls.length === this.#query.limit) return page;
    }
    const nearest = await this.#nearestCalls(kinds);
    return this.#limitedPage(nearest.length === 0 ? [] : await this.#readCalls(this.#idsOfKinds(nearest)));
  }

  #idRange(): IdRange {
    const { filter, beside } = this.#query;
    const { fromMs, toMs } = filter;
    const ids = idsWithPrefix(filter.search);
    const earliest = maxId(ids.above, fromMs === undefined ? lowestId : firstIdAt(fromMs));
    const latest = minId(ids.below, toMs === undefined ? highestId : firstIdAt(toMs));
    if (beside === undefined) return { above: earliest, below: latest };
    return beside.side === 'newer'
      ? { above: maxId(earliest, beside.id), below: latest }
      : { above: earliest, below: minId(latest, beside.id) };
  }

  /** Up to one more than are looked up. */
  async #countKinds(kinds: RawBuilder<unknown>): Promise<number> {
    const { rows } = await sql<{ readonly count: number }>`select cast(count(*) as bigint) as count
      from (select 1 from request_kinds where ${kinds} limit ${limits.requestKindsMax + 1}) as matching`.execute(
      this.#db,
    );
    return rows[0]?.count ?? 0;
  }

  /** The first call of each kind on the requested side. A page can't have more kinds than calls. */
  async #nearestCalls(kinds: RawBuilder<unknown>): Promise<readonly NearestCall[]> {
    const first = sql`select id from requests
      where requests.kind = request_kinds.kind and ${this.#inRange(this.#idRange())} order by id ${this.#order} limit 1`;
    const { rows } = await sql<NearestCall>`select kind, nearest as id from
      (select kind, (${first}) as nearest from request_kinds where ${kinds}) as each_kind
      where nearest is not null order by nearest ${this.#order} limit ${this.#fetchLimit}`.execute(this.#db);
    return rows;
  }

  /** PostgreSQL plans many ranges in one statement slowly, so it uses a lateral join, which SQLite does not have. */
  #idsOfKinds(nearest: readonly NearestCall[]): RawBuilder<FoundId> {
    const kinds = nearest.map(({ kind }) => kind);
    // No call of the page lies beyond the last of these.
    const farthest = nearest[this.#fetchLimit - 1]?.id;
    const idRange = this.#idRange();
    const within = this.#inRange(farthest === undefined ? idRange : this.#endRangeAt(idRange, farthest));
    const range = (kind: RawBuilder<unknown>, most: number) =>
      sql`select id from requests where requests.kind = ${kind} and ${within} order by id ${this.#order} limit ${most}`;
    const ranges =
      this.#dialectName === 'postgres'
        ? sql`select range.id from unnest(cast(${kinds} as text[])) as wanted (kind)
            cross join lateral (${range(sql`wanted.kind collate "C"`, this.#fetchLimit)}) as range`
        : sql.join(
            // Each preceding kind has at least one call that precedes those of this kind.
            kinds.map((kind, at) => sql`select id from (${range(sql`${kind}`, this.#fetchLimit - at)})`),
            sql` union all `,
          );
    return sql<FoundId>`select id from (${ranges}) as ranges order by id ${this.#order} limit ${this.#fetchLimit}`;
  }

  #idsOfAccount(idRange: IdRange): RawBuilder<FoundId> {
    return sql<FoundId>`select id from requests where ${this.#accountCondition} and ${this.#inRange(idRange)} order by id ${this.#order} limit ${this.#fetchLimit}`;
  }

  /** Sorts the newest calls until the time is up. */
  async #sortedPage(value: RawBuilder<unknown>, kinds: RawBuilder<unknown> | undefined): Promise<LogPage> {
    const untilMs = performance.now() + limits.requestLogSearchMs;
    const { limit } = this.#query;
    let largest: readonly SortedCall[] = [];
    let idRange = this.#idRange();
    for (;;) {
      const edge = await this.#stepEnd(idRange);
      const step = edge === undefined ? idRange : this.#endRangeAt(idRange, edge);
      const { rows } = await sql<SortedCall>`select id, cast(${value} as bigint) as value from requests
        where ${this.#rowCondition} and ${this.#outsideOfIndexes} and ${hasMatchingKind(kinds)} and ${this.#inRange(step)}
        order by 2 desc, 1 desc limit ${limit}`.execute(this.#db);
      largest = [...largest, ...rows].sort((one, other) => other.value - one.value).slice(0, limit);
      const isComplete = edge === undefined;
      if (isComplete || performance.now() >= untilMs) {
        const calls = await this.#callsWithIds(largest.map(({ id }) => id));
        const byId = new Map(calls.map((call) => [call.id, call]));
        return { calls: largest.flatMap(({ id }) => byId.get(id) ?? []), more: !isComplete, reached: edge };
      }
      idRange = { ...idRange, below: edge };
    }
  }

  /** Each of the two has an index of its own. */
  #idsOfSession(session: string, idRange: IdRange): RawBuilder<FoundId> {
    const range = (column: 'conversation' | 'parent_conversation') =>
      sql`select id from requests where ${this.#accountCondition} and ${sql.ref(`requests.${column}`)} = ${session}
        and ${this.#inRange(idRange)} order by id ${this.#order} limit ${this.#fetchLimit}`;
    return sql<FoundId>`select id from (
        select id from (${range('conversation')}) as own
        union all select id from (${range('parent_conversation')}) as subagents) as session
      order by id ${this.#order} limit ${this.#fetchLimit}`;
  }

  async #scan(kinds: RawBuilder<unknown> | undefined, stepsMax = Number.POSITIVE_INFINITY): Promise<LogPage> {
    const untilMs = performance.now() + limits.requestLogSearchMs;
    const calls: LoggedCall[] = [];
    let idRange = this.#idRange();
    for (let steps = 1; ; steps++) {
      const edge = await this.#stepEnd(idRange);
      const step = edge === undefined ? idRange : this.#endRangeAt(idRange, edge);
      calls.push(
        ...(await this.#readCalls(sql<FoundId>`select id from requests where ${this.#rowCondition} and ${this.#outsideOfIndexes} and ${hasMatchingKind(kinds)} and ${this.#inRange(step)}
          order by id ${this.#order} limit ${this.#fetchLimit - calls.length}`)),
      );
      if (edge === undefined || calls.length >= this.#fetchLimit) return this.#limitedPage(calls);
      if (steps >= stepsMax || performance.now() >= untilMs) return this.#toPage(calls, true, edge);
      idRange = this.#isNewerSide ? { ...idRange, above: edge } : { ...idRange, below: edge };
    }
  }

  /** The last call of the next step, matching or not; undefined if the step reaches the end. */
  async #stepEnd(idRange: IdRange): Promise<string | undefined> {
    const { rows } = await sql<FoundId>`select id from requests
      where ${this.#rowCondition} and ${this.#inRange(idRange)}
      order by id ${this.#order} limit 1 offset ${limits.requestLogSearchRows - 1}`.execute(this.#db);
    return rows[0]?.id;
  }

  /** Includes the call at the edge. */
  #endRangeAt(idRange: IdRange, edge: string): IdRange {
    return this.#isNewerSide ? { ...idRange, below: `${edge}0` } : { ...idRange, above: predecessorOf(edge) };
  }

  /** Selects the ids by index only, then reads the rows: PostgreSQL looks into the partitions of known ids alone. */
  async #readCalls(selectIds: RawBuilder<FoundId>): Promise<readonly LoggedCall[]> {
    const { rows } = await selectIds.execute(this.#db);
    return this.#callsWithIds(rows.map(({ id }) => id));
  }

  async #callsWithIds(ids: readonly string[]): Promise<readonly LoggedCall[]> {
    if (ids.length === 0) return [];
    const rows = await this.#db
      .selectFrom('requests')
      .select(requestColumnNames)
      .where('id', 'in', ids)
      .orderBy('id', this.#isNewerSide ? 'asc' : 'desc')
      .execute();
    return rows.map(callFromRow);
  }

  #inRange({ above, below }: IdRange): RawBuilder<unknown> {
    return sql`requests.id > ${above} and requests.id < ${below}`;
  }

  get #accountCondition(): RawBuilder<unknown> {
    const { accountId } = this.#query;
    return accountId === undefined ? sql`true` : sql`requests.account_id = ${accountId}`;
  }

  /** What an index of calls finds by itself. */
  get #rowCondition(): RawBuilder<unknown> {
    const { conversation, endUser, tags } = this.#query.filter;
    const conditions = [this.#accountCondition];
    if (conversation !== undefined) conditions.push(sql`requests.conversation = ${conversation}`);
    if (endUser !== undefined) conditions.push(sql`requests.end_user = ${endUser}`);
    if (tags !== undefined) conditions.push(sql`requests.tags is not null`);
    return sql.join(conditions, sql` and `);
  }

  /** Tags are stored as JSON, in which only a name precedes a colon. */
  get #outsideOfIndexes(): RawBuilder<unknown> {
    const { tags = {}, wire } = this.#query.filter;
    const find = sql.raw(this.#dialectName === 'postgres' ? 'strpos' : 'instr');
    const conditions = Object.entries(tags).map(
      ([name, value]) =>
        sql`${find}(requests.tags, ${`${JSON.stringify(name)}:${JSON.stringify(value)}`}) > 0`,
    );
    if (wire !== undefined) conditions.push(sql`requests.wire = ${wire}`);
    return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
  }

  get #order(): RawBuilder<unknown> {
    return this.#isNewerSide ? sql`asc` : sql`desc`;
  }

  /** One more than the page size, to know whether there are more. */
  get #fetchLimit(): number {
    return this.#query.limit + 1;
  }

  #limitedPage(calls: readonly LoggedCall[]): LogPage {
    const { limit } = this.#query;
    const page = calls.slice(0, limit);
    return this.#toPage(page, calls.length > limit, page.at(-1)?.id);
  }

  #toPage(calls: readonly LoggedCall[], more: boolean, reached: string | undefined): LogPage {
    return { calls: this.#isNewerSide ? calls.toReversed() : calls, more, reached };
  }
}

function hasMatchingKind(kinds: RawBuilder<unknown> | undefined): RawBuilder<unknown> {
  if (kinds === undefined) return sql`true`;
  return sql`exists (select 1 from request_kinds where request_kinds.kind = requests.kind and ${kinds})`;
}

/** Ids are hexadecimal; every digit sorts before `g`. */
function idsWithPrefix(search: LogFilter['search']): IdRange {
  if (search === undefined || !isRequestIdPrefix(search)) return { above: lowestId, below: highestId };
  return { above: predecessorOf(search), below: `${search}g` };
}

/** Sorts before this id and after all smaller ids. */
function predecessorOf(id: string): string {
  return `${id.slice(0, -1)}${String.fromCharCode(id.charCodeAt(id.length - 1) - 1)}g`;
}

function maxId(one: string, other: string): string {
  return one > other ? one : other;
}

function minId(one: string, other: string): string {
  return one < other ? one : other;
}
