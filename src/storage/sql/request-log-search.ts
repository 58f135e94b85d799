import { type Kysely, type RawBuilder, sql } from 'kysely';
import { limits } from '../../kernel/limits.ts';
import type { LogFilter, LoggedCall, LogPage, LogQuestion } from '../../kernel/ports/request-log.ts';
import { firstIdAt, isRequestIdStart } from '../../kernel/request-id.ts';
import type { Flavour } from './flavour.ts';
import { matchingKinds } from './request-kind-filter.ts';
import { columnNames, toCall } from './request-log-row.ts';
import type { Tables } from './tables.ts';

/** Ids between these two, neither of them included. */
interface Span {
  readonly above: string;
  readonly below: string;
}

/** The first call of a kind. */
interface Nearest {
  readonly kind: string;
  readonly id: string;
}

const beforeAll = '';
const afterAll = '\u{10ffff}';

/**
 * Finds a page of calls off indexes. Calls of an account, or of all, are read off one; with a filter, the kinds that it lets
 * through are known first, and each of these is a range of an index. Where somebody made very many kinds, as with a new
 * name of a model in each call, the calls are looked through in bounded steps until the page is full or the time is over.
 */
export class LogSearch {
  readonly #db: Kysely<Tables>;
  readonly #question: LogQuestion;
  readonly #newer: boolean;
  readonly #home: Flavour['name'];

  constructor(db: Kysely<Tables>, home: Flavour['name'], question: LogQuestion) {
    this.#db = db;
    this.#home = home;
    this.#question = question;
    this.#newer = question.beside?.side === 'newer';
  }

  async page(): Promise<LogPage> {
    const kinds = matchingKinds(this.#question);
    if (kinds === undefined) return this.#pageOf(await this.#calls(this.#ids(this.#span())));
    if (await this.#areTooMany(kinds)) return this.#lookedThrough(kinds);
    const nearest = await this.#nearest(kinds);
    return this.#pageOf(nearest.length === 0 ? [] : await this.#calls(this.#idsOf(nearest)));
  }

  #span(): Span {
    const { filter, beside } = this.#question;
    const { fromMs, toMs } = filter;
    const ids = idsBeginningWith(filter.search);
    const earliest = greater(ids.above, fromMs === undefined ? beforeAll : firstIdAt(fromMs));
    const latest = smaller(ids.below, toMs === undefined ? afterAll : firstIdAt(toMs));
    if (beside === undefined) return { above: earliest, below: latest };
    return beside.side === 'newer'
      ? { above: greater(earliest, beside.id), below: latest }
      : { above: earliest, below: smaller(latest, beside.id) };
  }

  async #areTooMany(kinds: RawBuilder<unknown>): Promise<boolean> {
    const { rows } = await sql<{ readonly count: number }>`select cast(count(*) as bigint) as count
      from (select 1 from request_kinds where ${kinds} limit ${limits.requestKindsMax + 1}) as matching`.execute(
      this.#db,
    );
    return (rows[0]?.count ?? 0) > limits.requestKindsMax;
  }

  /** Each kind's first call on the side that is asked for. A page can't have calls of more kinds than it has calls. */
  async #nearest(kinds: RawBuilder<unknown>): Promise<readonly Nearest[]> {
    const first = sql`select id from requests
      where requests.kind = request_kinds.kind and ${this.#within(this.#span())} order by id ${this.#order} limit 1`;
    const { rows } = await sql<Nearest>`select kind, nearest as id from
      (select kind, (${first}) as nearest from request_kinds where ${kinds}) as each_kind
      where nearest is not null order by nearest ${this.#order} limit ${this.#most}`.execute(this.#db);
    return rows;
  }

  /** PostgreSQL thinks for long about many ranges in one statement, and SQLite has no other way. */
  #idsOf(nearest: readonly Nearest[]): RawBuilder<unknown> {
    const kinds = nearest.map(({ kind }) => kind);
    // As many calls as a page has are no farther than the last of these.
    const farthest = nearest[this.#most - 1]?.id;
    const span = this.#span();
    const within = this.#within(farthest === undefined ? span : this.#upTo(span, farthest));
    const range = (kind: RawBuilder<unknown>, most: number) =>
      sql`select id from requests where requests.kind = ${kind} and ${within} order by id ${this.#order} limit ${most}`;
    const ranges =
      this.#home === 'postgres'
        ? sql`select range.id from unnest(cast(${kinds} as text[])) as wanted (kind)
            cross join lateral (${range(sql`wanted.kind collate "C"`, this.#most)}) as range`
        : sql.join(
            // Those before it have at least one call each that comes before its own.
            kinds.map((kind, at) => sql`select id from (${range(sql`${kind}`, this.#most - at)})`),
            sql` union all `,
          );
    return sql`select id from (${ranges}) as ranges order by id ${this.#order} limit ${this.#most}`;
  }

  #ids(span: Span): RawBuilder<unknown> {
    return sql`select id from requests where ${this.#ofAccount} and ${this.#within(span)} order by id ${this.#order} limit ${this.#most}`;
  }

  async #lookedThrough(kinds: RawBuilder<unknown>): Promise<LogPage> {
    const untilMs = performance.now() + limits.requestLogSearchMs;
    const isMeant = sql`exists (select 1 from request_kinds where request_kinds.kind = requests.kind and ${kinds})`;
    const found: LoggedCall[] = [];
    let span = this.#span();
    for (;;) {
      const edge = await this.#edge(span);
      const step = edge === undefined ? span : this.#upTo(span, edge);
      found.push(
        ...(await this.#calls(sql`select id from requests where ${this.#ofAccount} and ${isMeant} and ${this.#within(step)}
          order by id ${this.#order} limit ${this.#most - found.length}`)),
      );
      if (edge === undefined || found.length >= this.#most) return this.#pageOf(found);
      if (performance.now() >= untilMs) return this.#paged(found, true, edge);
      span = this.#newer ? { ...span, above: edge } : { ...span, below: edge };
    }
  }

  /** The last call of the next step, whatever it is; undefined where the step reaches to the end. */
  async #edge(span: Span): Promise<string | undefined> {
    const { rows } = await sql<{ readonly id: string }>`select id from requests
      where ${this.#ofAccount} and ${this.#within(span)}
      order by id ${this.#order} limit 1 offset ${limits.requestLogSearchRows - 1}`.execute(this.#db);
    return rows[0]?.id;
  }

  /** With the call at the edge itself, which is part of the step. */
  #upTo(span: Span, edge: string): Span {
    return this.#newer ? { ...span, below: `${edge}0` } : { ...span, above: justBefore(edge) };
  }

  /** Chosen by what the index has of them, and only then read. */
  async #calls(ids: RawBuilder<unknown>): Promise<readonly LoggedCall[]> {
    const rows = await this.#db
      .selectFrom('requests')
      .select(columnNames)
      .where('id', 'in', sql<string>`(${ids})`)
      .orderBy('id', this.#newer ? 'asc' : 'desc')
      .execute();
    return rows.map(toCall);
  }

  #within({ above, below }: Span): RawBuilder<unknown> {
    return sql`requests.id > ${above} and requests.id < ${below}`;
  }

  get #ofAccount(): RawBuilder<unknown> {
    const { accountId } = this.#question;
    return accountId === undefined ? sql`true` : sql`requests.account_id = ${accountId}`;
  }

  get #order(): RawBuilder<unknown> {
    return this.#newer ? sql`asc` : sql`desc`;
  }

  /** One more than the page has tells whether there are more. */
  get #most(): number {
    return this.#question.limit + 1;
  }

  #pageOf(found: readonly LoggedCall[]): LogPage {
    const { limit } = this.#question;
    const calls = found.slice(0, limit);
    return this.#paged(calls, found.length > limit, calls.at(-1)?.id);
  }

  #paged(found: readonly LoggedCall[], more: boolean, reached: string | undefined): LogPage {
    return { calls: this.#newer ? found.toReversed() : found, more, reached };
  }
}

/** Ids are digits of base 16, all of which come before `g`. */
function idsBeginningWith(search: LogFilter['search']): Span {
  if (search === undefined || !isRequestIdStart(search)) return { above: beforeAll, below: afterAll };
  return { above: justBefore(search), below: `${search}g` };
}

/** Comes before this id and after all that are before it. */
function justBefore(id: string): string {
  return `${id.slice(0, -1)}${String.fromCharCode(id.charCodeAt(id.length - 1) - 1)}g`;
}

function greater(one: string, other: string): string {
  return one > other ? one : other;
}

function smaller(one: string, other: string): string {
  return one < other ? one : other;
}
