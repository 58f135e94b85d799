import { z } from 'zod';
import {
  type LogFilter,
  type LoggedCall,
  type LogPage,
  type LogQuery,
  type LogReader,
  type LogSort,
  type LogSums,
  type LogSumsQuery,
  toolCallWire,
} from '../../kernel/ports/request-log.ts';
import { isRequestIdPrefix, timeOfId } from '../../kernel/request-id.ts';
import { matchingEffects } from '../../kernel/trace.ts';
import type { PostToClickHouse } from '../log-sinks/clickhouse.ts';
import { callColumns, callFromClickHouse, callRow, splitModule } from './clickhouse-call.ts';
import { ClickHouseSelect } from './clickhouse-select.ts';

/** Reads calls from the table of ClickHouse that the gateway sends them to. */
export class ClickHouseHistory implements LogReader {
  readonly #table: string;
  readonly #post: PostToClickHouse;

  constructor(table: string, postToClickHouse: PostToClickHouse) {
    this.#table = table;
    this.#post = postToClickHouse;
  }

  async find(id: string, accountId: string | undefined): Promise<LoggedCall | undefined> {
    const select = selectCalls(accountId);
    select.and(`created_at = ${select.time(timeOfId(id))} AND id = ${select.text(id)}`);
    const [row] = await select.run(
      this.#post,
      `SELECT ${callColumns} FROM ${this.#table} WHERE ${select.where} LIMIT 1`,
      callRow,
    );
    return row === undefined ? undefined : callFromClickHouse(row);
  }

  /** In the order of the table's key, which the ids have, too. A call that was sent twice is listed once. */
  async page({ accountId, filter, beside, sort, limit }: LogQuery): Promise<LogPage> {
    const select = selectCalls(accountId);
    addFilter(select, filter);
    if (sort !== undefined) {
      const sorted = await select.run(
        this.#post,
        `SELECT ${callColumns} FROM ${this.#table} WHERE ${select.where}
        ORDER BY ${sortValues[sort]} DESC, id DESC LIMIT 1 BY id LIMIT ${limit}`,
        callRow,
      );
      return { calls: sorted.map(callFromClickHouse), more: false, reached: undefined };
    }
    const isNewerSide = beside?.side === 'newer';
    if (beside !== undefined) {
      const comparison = isNewerSide ? '>' : '<';
      const time = select.time(timeOfId(beside.id));
      select.and(`created_at ${comparison}= ${time} AND id ${comparison} ${select.text(beside.id)}`);
    }
    const order = isNewerSide ? 'ASC' : 'DESC';
    const rows = await select.run(
      this.#post,
      `SELECT ${callColumns} FROM ${this.#table} WHERE ${select.where}
      ORDER BY created_at ${order}, id ${order} LIMIT 1 BY id LIMIT ${limit + 1}`,
      callRow,
    );
    const calls = rows.slice(0, limit).map(callFromClickHouse);
    return {
      calls: isNewerSide ? calls.toReversed() : calls,
      more: rows.length > limit,
      reached: calls.at(-1)?.id,
    };
  }

  async sums(query: LogSumsQuery): Promise<LogSums> {
    const step = `intDiv(toUnixTimestamp64Milli(created_at) - ${query.fromMs}, ${query.stepMs}) AS step`;
    const ofClients = 'asked_by IS NULL';
    const stepTimes = (what: 'content' | 'overhead', column: string, which = 'true') =>
      this.#sum(query, stepTimeRow, {
        keys: `'${what}' AS what, ${step}, ${binOf(column)}`,
        groups: 'what, step, bin',
        condition: `${ofClients} AND ${column} IS NOT NULL AND ${which}`,
      });
    const [kinds, steps, contents, overheads, modelTimes, modules, moduleTimes] = await Promise.all([
      this.#sum(query, kindRow, {
        keys: `key_id AS keyId, provider, ${usedModel}, status, ending, error_code AS errorCode, provider_error AS providerError, ${flags}`,
        groups: 'keyId, provider, usedModel, status, ending, errorCode, providerError, isFailed, isCached',
        sums: amounts,
      }),
      this.#sum(query, stepRow, {
        keys: `${step}, ${usedModel}, ${flags}`,
        groups: 'step, usedModel, isFailed, isCached',
        sums: amounts,
      }),
      stepTimes('content', 'first_content_ms', notCached),
      stepTimes('overhead', 'overhead_ms'),
      this.#sum(query, modelTimeRow, {
        keys: `ifNull(provider, '') AS usedProvider, ${usedModel}, ${binOf('first_content_ms')}`,
        groups: 'usedProvider, usedModel, bin',
        condition: `${ofClients} AND first_content_ms IS NOT NULL AND ${notCached}`,
      }),
      this.#sum(query, moduleRow, {
        keys: 'named',
        groups: 'named',
        sums: ', sum(us) AS ownUs, sum(saved) AS savedNanoUsd',
        // Calls that an earlier version sent have modules without figures.
        join: `ARRAY JOIN modules AS named, arrayResize(module_us, length(modules)) AS us,
          arrayResize(module_saved_nano_usd, length(modules)) AS saved`,
      }),
      this.#sum(query, moduleTimeRow, {
        keys: `splitByChar(':', named)[1] AS module, ${binOf('us / 1000')}`,
        groups: 'module, bin',
        // Those without figures are left out.
        join: 'ARRAY JOIN arraySlice(modules, 1, length(module_us)) AS named, module_us AS us',
      }),
    ]);
    return {
      kinds: kinds.map(toSums),
      steps: steps.map(toSums),
      stepTimes: [...contents, ...overheads],
      modelTimes: modelTimes.map(({ usedProvider: provider, usedModel: model, ...others }) => ({
        ...others,
        provider,
        model,
      })),
      modules: modules.map(({ named, ...others }) => ({ ...splitModule(named), ...others })),
      moduleTimes,
    };
  }

  /** Without calls that were sent twice. */
  #sum<Row>(
    { accountId, fromMs, toMs }: LogSumsQuery,
    row: z.ZodType<Row>,
    { keys, groups, sums = '', join = '', condition }: SumsStatement,
  ): Promise<readonly Row[]> {
    const select = selectCalls(accountId);
    select.and(`created_at >= ${select.time(fromMs)} AND created_at < ${select.time(toMs)}`);
    select.and(`wire_format != ${select.text(toolCallWire)}`);
    if (condition !== undefined) select.and(condition);
    return select.run(
      this.#post,
      `SELECT ${keys}, count() AS requests${sums} FROM ${this.#table} FINAL ${join} WHERE ${select.where} GROUP BY ${groups}`,
      row,
    );
  }
}

interface SumsStatement {
  readonly keys: string;
  /** The names of the keys. */
  readonly groups: string;
  /** Sums beside the number of calls. */
  readonly sums?: string;
  readonly join?: string;
  readonly condition?: string;
}

// No alias may have the name of a column: ClickHouse would take it for the column in conditions, too.
const usedModel = 'ifNull(model_used, model) AS usedModel';
const hasAnswered = `arrayExists(name -> endsWith(name, ':answered'), modules)`;
const notCached = `NOT ${hasAnswered}`;
const flags = `(status >= 400 OR ending = 'failed') AS isFailed, ${hasAnswered} AS isCached`;
const amountColumns = {
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  cacheReadTokens: 'cache_read_tokens',
  cacheWriteTokens: 'cache_write_tokens',
  costNanoUsd: 'cost_nano_usd',
  savedNanoUsd: 'saved_nano_usd',
} as const;
const amounts = Object.entries(amountColumns)
  .map(([name, column]) => `, sum(ifNull(${column}, 0)) AS ${name}`)
  .join('');

const sortValues: Readonly<Record<LogSort, string>> = {
  cost: 'ifNull(cost_nano_usd, 0)',
  duration: 'total_ms',
  tokens: ['input_tokens', 'cache_read_tokens', 'cache_write_tokens', 'output_tokens']
    .map((column) => `ifNull(${column}, 0)`)
    .join(' + '),
};

/** The bins of the request log: eight per factor of `e`, of microseconds. */
function binOf(column: string): string {
  return `toInt32(trunc(8 * log(greatest(round(${column} * 1000), 1)))) AS bin`;
}

const count = { requests: z.number() };
const amountFields = {
  ...count,
  ...{ inputTokens: z.number(), outputTokens: z.number(), cacheReadTokens: z.number() },
  ...{ cacheWriteTokens: z.number(), costNanoUsd: z.number(), savedNanoUsd: z.number() },
};
const kindFields = { usedModel: z.string(), isFailed: z.number(), isCached: z.number() };
const kindRow = z.object({
  ...{ keyId: z.string().nullable(), provider: z.string().nullable(), status: z.number() },
  ...{ ending: z.string(), errorCode: z.string().nullable(), providerError: z.string().nullable() },
  ...kindFields,
  ...amountFields,
});
const stepRow = z.object({ step: z.number(), ...kindFields, ...amountFields });
const stepTimeRow = z.object({
  ...{ what: z.enum(['content', 'overhead']), step: z.number(), bin: z.number() },
  ...count,
});
const modelTimeRow = z.object({
  ...{ usedProvider: z.string(), usedModel: z.string(), bin: z.number() },
  ...count,
});
const moduleTimeRow = z.object({ module: z.string(), bin: z.number(), ...count });
const moduleRow = z.object({ named: z.string(), ownUs: z.number(), savedNanoUsd: z.number(), ...count });

interface KindFields {
  readonly usedModel: string;
  readonly isFailed: number;
  readonly isCached: number;
}

function toSums<Row extends KindFields>({ usedModel: model, isFailed, isCached, ...others }: Row) {
  return { ...others, model, isFailed: isFailed === 1, isCached: isCached === 1 };
}

function selectCalls(accountId: string | undefined): ClickHouseSelect {
  const select = new ClickHouseSelect();
  if (accountId !== undefined) select.and(`account_id = ${select.text(accountId)}`);
  return select;
}

function addFilter(select: ClickHouseSelect, filter: LogFilter): void {
  const { fromMs, toMs, model, provider, keyId, keyIds, client, conversation, endUser } = filter;
  const { ending, status, search, session, wire } = filter;
  if (fromMs !== undefined) select.and(`created_at >= ${select.time(fromMs)}`);
  if (toMs !== undefined) select.and(`created_at < ${select.time(toMs)}`);
  if (model !== undefined) select.and(`model = ${select.text(model)} OR model_used = ${select.text(model)}`);
  if (provider === null) select.and('provider IS NULL');
  else if (provider !== undefined) select.and(`provider = ${select.text(provider)}`);
  if (keyId !== undefined) select.and(`key_id = ${select.text(keyId)}`);
  if (keyIds !== undefined)
    // One parameter: each is a part of the address.
    select.and(
      keyIds.length === 0
        ? 'false'
        : `has(splitByChar(',', ${select.text(keyIds.join(','))}), ifNull(key_id, ''))`,
    );
  if (client !== undefined) select.and(`client = ${select.text(client)}`);
  if (conversation !== undefined) select.and(`conversation = ${select.text(conversation)}`);
  if (session !== undefined)
    select.and(`conversation = ${select.text(session)} OR parent_conversation = ${select.text(session)}`);
  if (endUser !== undefined) select.and(`end_user = ${select.text(endUser)}`);
  for (const [name, value] of Object.entries(filter.tags ?? {}))
    select.and(`tags[${select.text(name)}] = ${select.text(value)}`);
  if (wire !== undefined) select.and(`wire_format = ${select.text(wire)}`);
  if (ending !== undefined) select.and(`ending = ${select.text(ending)}`);
  if (status === 'error') select.and(`status >= 400 OR ending = 'failed'`);
  else if (status !== undefined)
    select.and(`status BETWEEN ${select.integer(status.least)} AND ${select.integer(status.greatest)}`);
  if (search !== undefined) addSearch(select, search);
  addModules(select, filter);
}

function addSearch(select: ClickHouseSelect, search: string): void {
  const part = select.text(search);
  if (isRequestIdPrefix(search)) select.and(`startsWith(id, ${part})`);
  else
    select.and(
      ['model', 'model_used', 'error_code', 'provider_error']
        .map((column) => `positionCaseInsensitiveUTF8(ifNull(${column}, ''), ${part}) > 0`)
        .join(' OR '),
    );
}

/** A module without an effect matches if it did more than pass the call on. */
function addModules(select: ClickHouseSelect, { module, effect }: LogFilter): void {
  const has = (name: string) =>
    module === undefined
      ? `arrayExists(name -> endsWith(name, ${select.text(name)}), modules)`
      : `has(modules, ${select.text(`${module}${name}`)})`;
  if (effect !== undefined)
    select.and(
      matchingEffects(effect)
        .map((one) => has(`:${one}`))
        .join(' OR '),
    );
  else if (module !== undefined)
    select.and(
      `arrayExists(name -> startsWith(name, ${select.text(`${module}:`)}), modules) AND NOT ${has(':passed')}`,
    );
}
