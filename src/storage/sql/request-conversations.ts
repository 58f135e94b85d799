import { type Kysely, type RawBuilder, sql } from 'kysely';
import type {
  ConversationPosition,
  ConversationSums,
  ConversationsPage,
  ConversationsQuery,
} from '../../kernel/ports/request-log.ts';
import { limits } from '../limits.ts';
import { parseModels } from './conversation-tally.ts';
import { isNotHeld } from './legal-holds.ts';
import type { Tables } from './tables.ts';

type ConversationRow = Tables['conversations'];

const hourMs = 3_600_000;

/** A page of conversations, those with the newest last call first. */
export async function listConversations(
  db: Kysely<Tables>,
  query: ConversationsQuery,
): Promise<ConversationsPage> {
  const accountIds = query.accountId === undefined ? await accountsOf(db) : [query.accountId];
  const lists: ConversationsPage[] = [];
  for (const accountId of accountIds) lists.push(await new ConversationSearch(db, accountId, query).page());
  const [only, second] = lists;
  return only !== undefined && second === undefined ? only : mergePages(lists, query.limit);
}

export async function findConversation(
  db: Kysely<Tables>,
  name: string,
  accountId: string | undefined,
): Promise<ConversationSums | undefined> {
  for (const id of accountId === undefined ? await accountsOf(db) : [accountId]) {
    const { rows } = await sql<ConversationRow>`select * from conversations
      where account_id = ${id} and conversation = ${name}`.execute(db);
    if (rows[0] !== undefined) return toSums(rows[0]);
  }
  return undefined;
}

/** Deletes the conversations whose last call is expired. */
export async function forgetConversations(db: Kysely<Tables>, beforeMs: number): Promise<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await sql`delete from conversations
      where (account_id, conversation) in (select account_id, conversation from conversations
        where last_hour_ms < ${beforeMs} and last_ms < ${beforeMs} and ${isNotHeld('account_id')}
        limit ${limits.requestLogSearchRows})`.execute(db);
    if (numAffectedRows < limits.requestLogSearchRows) return;
  }
}

/** Jumps from one account to the next in the key. */
async function accountsOf(db: Kysely<Tables>): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly id: string }>`with recursive accounts (id) as (
      select min(account_id) from conversations
      union all select (select min(account_id) from conversations where account_id > accounts.id) from accounts where id is not null)
    select id from accounts where id is not null limit ${limits.conversationAccountsMax}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Goes through the conversations of one account by the hour of their last call; by name if a part of it is given. */
class ConversationSearch {
  readonly #db: Kysely<Tables>;
  readonly #accountId: string;
  readonly #query: ConversationsQuery;

  constructor(db: Kysely<Tables>, accountId: string, query: ConversationsQuery) {
    this.#db = db;
    this.#accountId = accountId;
    this.#query = query;
  }

  /** With a filter, scans in bounded steps until the page is full or the time is up. */
  async page(): Promise<ConversationsPage> {
    const { limit, after, search } = this.#query;
    const isFiltered = this.#filters.length > 0;
    const untilMs = performance.now() + limits.requestLogSearchMs;
    const found: ConversationRow[] = [];
    for (let from = after; ; ) {
      const edge = isFiltered && search === undefined ? await this.#stepEnd(from) : undefined;
      found.push(...(await this.#read(from, edge, limit + 1 - found.length)));
      if (found.length > limit) return toPage(found.slice(0, limit), true);
      if (edge === undefined) return toPage(found, false);
      if (performance.now() >= untilMs)
        return {
          conversations: found.map(toSums),
          next: { lastMs: edge.last_ms, conversation: edge.conversation },
        };
      from = { lastMs: edge.last_ms, conversation: edge.conversation };
    }
  }

  async #read(
    after: ConversationPosition | undefined,
    edge: Pick<ConversationRow, 'last_ms' | 'conversation'> | undefined,
    most: number,
  ): Promise<readonly ConversationRow[]> {
    const conditions = [this.#range(after, edge?.last_ms), ...this.#filters];
    if (edge !== undefined)
      conditions.push(sql`(last_ms, conversation) >= (${edge.last_ms}, ${edge.conversation})`);
    const { rows } = await sql<ConversationRow>`select * from conversations
      where ${sql.join(conditions, sql` and `)} order by ${this.#order} limit ${most}`.execute(this.#db);
    return rows;
  }

  /** The last conversation of the next step, matching or not; undefined if the step reaches the end. */
  async #stepEnd(
    after: ConversationPosition | undefined,
  ): Promise<Pick<ConversationRow, 'last_ms' | 'conversation'> | undefined> {
    const { rows } = await sql<ConversationRow>`select last_ms, conversation from conversations
      where ${this.#range(after)} order by ${this.#order} limit 1 offset ${limits.requestLogSearchRows - 1}`.execute(
      this.#db,
    );
    return rows[0];
  }

  #range(after: ConversationPosition | undefined, leastMs = 0): RawBuilder<unknown> {
    const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER, search } = this.#query;
    const most = Math.min(toMs, after?.lastMs ?? toMs);
    const conditions = [sql`account_id = ${this.#accountId}`];
    if (search !== undefined)
      conditions.push(sql`conversation >= ${search} and conversation < ${`${search}\u{10ffff}`}`);
    // One bound on each side, because SQLite takes the index with the hours only then, and looks at one of two.
    else conditions.push(sql`last_hour_ms between ${hourOf(Math.max(fromMs, leastMs))} and ${hourOf(most)}`);
    conditions.push(sql`last_ms >= ${fromMs} and last_ms < ${toMs}`);
    if (after !== undefined)
      conditions.push(sql`(last_ms, conversation) < (${after.lastMs}, ${after.conversation})`);
    return sql.join(conditions, sql` and `);
  }

  get #filters(): RawBuilder<unknown>[] {
    const { keyId, client, endUser } = this.#query;
    const conditions: RawBuilder<unknown>[] = [];
    if (keyId !== undefined) conditions.push(sql`key_id = ${keyId}`);
    if (client !== undefined) conditions.push(sql`client = ${client}`);
    if (endUser !== undefined) conditions.push(sql`end_user = ${endUser}`);
    return conditions;
  }

  /** An index has the hours, within which few rows are left to sort. */
  get #order(): RawBuilder<unknown> {
    const within = sql`last_ms desc, conversation desc`;
    return this.#query.search === undefined ? sql`last_hour_ms desc, ${within}` : within;
  }
}

function toPage(rows: readonly ConversationRow[], more: boolean): ConversationsPage {
  const last = rows.at(-1);
  return {
    conversations: rows.map(toSums),
    next: more && last !== undefined ? { lastMs: last.last_ms, conversation: last.conversation } : undefined,
  };
}

/** Continues from the last one that is listed, or from where a search ended first. */
function mergePages(pages: readonly ConversationsPage[], limit: number): ConversationsPage {
  const ends = pages.flatMap(({ next }) => next ?? []);
  const end = ends.toSorted(comparePositions)[0];
  const all = pages
    .flatMap(({ conversations }) => conversations)
    .toSorted(comparePositions)
    .filter((one) => end === undefined || comparePositions(one, end) <= 0);
  const conversations = all.slice(0, limit);
  const last = conversations.at(-1);
  const cut = all.length > limit && last !== undefined;
  return { conversations, next: cut ? { lastMs: last.lastMs, conversation: last.conversation } : end };
}

/** The newest first. */
function comparePositions(one: ConversationPosition, other: ConversationPosition): number {
  if (one.lastMs !== other.lastMs) return other.lastMs - one.lastMs;
  return one.conversation < other.conversation ? 1 : one.conversation > other.conversation ? -1 : 0;
}

function hourOf(ms: number): number {
  return Math.floor(ms / hourMs) * hourMs;
}

function toSums(row: ConversationRow): ConversationSums {
  return {
    accountId: row.account_id,
    conversation: row.conversation,
    requests: row.requests,
    failed: row.failed,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cacheReadTokens: row.cache_read_tokens,
    cacheWriteTokens: row.cache_write_tokens,
    costNanoUsd: row.cost_nano_usd,
    savedNanoUsd: row.saved_nano_usd,
    firstMs: row.first_ms,
    lastMs: row.last_ms,
    keyId: row.key_id,
    client: row.client,
    endUser: row.end_user,
    models: parseModels(row.models),
  };
}
