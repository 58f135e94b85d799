import { type Kysely, sql } from 'kysely';
import { limits } from '../../kernel/limits.ts';
import type { LogFilter, LoggedCall, LogPage, LogQuestion } from '../../kernel/ports/request-log.ts';
import { firstIdAt } from '../../kernel/request-id.ts';
import { columnNames, toCall } from './request-log-row.ts';
import type { Tables } from './tables.ts';

/** Ids between these two, neither of them included. */
interface Span {
  readonly above: string;
  readonly below: string;
}

const beforeAll = '';
const afterAll = '\u{10ffff}';

/** In the words of the index of such calls, by which databases find out that they may use it. */
const amiss = sql<boolean>`(status >= 400 or ending <> 'complete')`;

/**
 * Finds a page of calls. Where an index has just these, they are read off it. Else those that an index has are looked at
 * in bounded steps until the page is full or the time is over: each step is short, so that nobody waits behind a search.
 */
export class LogSearch {
  readonly #db: Kysely<Tables>;
  readonly #question: LogQuestion;
  readonly #newer: boolean;
  #accountId: string | undefined;

  constructor(db: Kysely<Tables>, question: LogQuestion) {
    this.#db = db;
    this.#question = question;
    this.#newer = question.beside?.side === 'newer';
    this.#accountId = question.accountId;
  }

  async page(): Promise<LogPage> {
    const { filter, limit } = this.#question;
    const untilMs = performance.now() + limits.requestLogSearchMs;
    const inSteps = !isIndexed(filter);
    if (inSteps) this.#accountId ??= await this.#onlyAccount();
    const found: LoggedCall[] = [];
    let span = this.#span();
    for (;;) {
      const edge = inSteps ? await this.#edge(span) : undefined;
      found.push(...(await this.#calls(span, edge, limit + 1 - found.length)));
      if (found.length > limit) return this.#paged(found.slice(0, limit), true, found[limit - 1]?.id);
      if (edge === undefined) return this.#paged(found, false, found.at(-1)?.id);
      if (performance.now() >= untilMs) return this.#paged(found, true, edge);
      span = this.#newer ? { ...span, above: edge } : { ...span, below: edge };
    }
  }

  /** The account that all calls are of, as in a local gateway's log: its index tells more than that of all calls. */
  async #onlyAccount(): Promise<string | undefined> {
    const account = (order: 'asc' | 'desc') =>
      this.#db
        .selectFrom('requests')
        .select('account_id')
        .orderBy('account_id', order)
        .limit(1)
        .executeTakeFirst();
    const [first, last] = [await account('asc'), await account('desc')];
    return first?.account_id === last?.account_id ? first?.account_id : undefined;
  }

  #span(): Span {
    const { filter, beside } = this.#question;
    const { fromMs, toMs } = filter;
    const earliest = fromMs === undefined ? beforeAll : firstIdAt(fromMs);
    const latest = toMs === undefined ? afterAll : firstIdAt(toMs);
    if (beside === undefined) return { above: earliest, below: latest };
    return beside.side === 'newer'
      ? { above: greater(earliest, beside.id), below: latest }
      : { above: earliest, below: smaller(latest, beside.id) };
  }

  /** The last call of the next step, whatever it is; undefined where the step reaches to the end. */
  async #edge(span: Span): Promise<string | undefined> {
    const edge = await this.#within(span)
      .select('id')
      .offset(limits.requestLogSearchRows - 1)
      .limit(1)
      .executeTakeFirst();
    return edge?.id;
  }

  /** Chosen by what the index has of them, and only then read. */
  async #calls(span: Span, edge: string | undefined, most: number): Promise<readonly LoggedCall[]> {
    const { model, provider, ending, status } = this.#question.filter;
    let ids = this.#within(span, edge).select('id').limit(most);
    if (model !== undefined)
      ids = ids.where((the) => the.or([the('model_asked', '=', model), the('model_used', '=', model)]));
    if (provider !== undefined) ids = ids.where('provider', '=', provider);
    if (ending !== undefined) ids = ids.where('ending', '=', ending);
    if (status === 'error')
      ids = ids.where((the) => the.or([the('status', '>=', 400), the('ending', '=', 'failed')]));
    else if (status !== undefined)
      ids = ids.where('status', '>=', status.least).where('status', '<=', status.greatest);
    const calls = this.#db.selectFrom('requests').select(columnNames).where('id', 'in', ids);
    return (await calls.orderBy('id', this.#order).execute()).map(toCall);
  }

  /** As far as an index goes. Each side has one bound only: of two, SQLite would take the wrong one. */
  #within({ above, below }: Span, edge?: string) {
    const [lowest, highest] = this.#newer ? [undefined, edge] : [edge, undefined];
    const accountId = this.#accountId;
    const { filter } = this.#question;
    const { keyId } = filter;
    return this.#db
      .selectFrom('requests')
      .where('id', lowest === undefined ? '>' : '>=', lowest ?? above)
      .where('id', highest === undefined ? '<' : '<=', highest ?? below)
      .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
      .$if(keyId !== undefined, (query) => query.where('key_id', '=', keyId ?? ''))
      .$if(isAmiss(filter), (query) => query.where(amiss))
      .orderBy('id', this.#order);
  }

  get #order(): 'asc' | 'desc' {
    return this.#newer ? 'asc' : 'desc';
  }

  #paged(found: readonly LoggedCall[], more: boolean, reached: string | undefined): LogPage {
    return { calls: this.#newer ? found.toReversed() : found, more, reached };
  }
}

/** Whether an index has just the calls that are meant, and no others. */
function isIndexed({ model, provider, ending, status }: LogFilter): boolean {
  return [model, provider, ending, status].every((asked) => asked === undefined);
}

/** Whether only calls are meant in which something went wrong. */
function isAmiss({ ending, status }: LogFilter): boolean {
  if (ending !== undefined && ending !== 'complete') return true;
  return status === 'error' || (status !== undefined && status.least >= 400);
}

function greater(one: string, other: string): string {
  return one > other ? one : other;
}

function smaller(one: string, other: string): string {
  return one < other ? one : other;
}
