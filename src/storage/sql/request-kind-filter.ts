import { type RawBuilder, sql } from 'kysely';
import type { LogFilter, LogQuery } from '../../kernel/ports/request-log.ts';
import { isRequestIdPrefix } from '../../kernel/request-id.ts';
import { matchingEffects } from '../../kernel/trace.ts';

/** A condition on kinds of calls; undefined if the query covers all calls of the account, or all calls. */
export function kindsCondition({
  accountId,
  filter,
}: Pick<LogQuery, 'accountId' | 'filter'>): RawBuilder<unknown> | undefined {
  const wanted = filterConditions(filter);
  if (wanted.length === 0) return undefined;
  if (accountId !== undefined) wanted.unshift(sql`request_kinds.account_id = ${accountId}`);
  return sql.join(wanted, sql` and `);
}

function filterConditions(filter: LogFilter): RawBuilder<unknown>[] {
  const { model, provider, keyId, keyIds, client, ending, status, search } = filter;
  const all: RawBuilder<unknown>[] = [];
  if (model !== undefined) all.push(sql`(model_asked = ${model} or model_used = ${model})`);
  if (provider === null) all.push(sql`provider is null`);
  else if (provider !== undefined) all.push(sql`provider = ${provider}`);
  if (keyId !== undefined) all.push(sql`key_id = ${keyId}`);
  if (keyIds !== undefined) all.push(isOneOf(sql`key_id`, keyIds));
  if (client !== undefined) all.push(sql`client = ${client}`);
  if (ending !== undefined) all.push(sql`ending = ${ending}`);
  if (status === 'error') all.push(sql`(status >= 400 or ending = 'failed')`);
  else if (status !== undefined) all.push(sql`status between ${status.least} and ${status.greatest}`);
  if (search !== undefined && !isRequestIdPrefix(search)) all.push(searchCondition(search));
  return [...all, ...stepConditions(filter)];
}

export function isOneOf(column: RawBuilder<unknown>, values: readonly string[]): RawBuilder<unknown> {
  return values.length === 0 ? sql`false` : sql`${column} in (${sql.join(values)})`;
}

function searchCondition(search: string): RawBuilder<unknown> {
  const part = `%${escapeLike(search.toLowerCase())}%`;
  const columns = ['model_asked', 'model_used', 'error_code', 'provider_error'].map(
    (name) => sql`lower(${sql.ref(`request_kinds.${name}`)}) like ${part} escape '\\'`,
  );
  return sql`(${sql.join(columns, sql` or `)})`;
}

function stepConditions({ module, effect }: LogFilter): readonly RawBuilder<unknown>[] {
  const name = module === undefined ? '' : `,${escapeLike(module)}`;
  if (effect !== undefined) {
    const any = matchingEffects(effect).map((one) => stepsLike(`%${name}:${one},%`));
    return [sql`(${sql.join(any, sql` or `)})`];
  }
  if (module === undefined) return [];
  return [stepsLike(`%${name}:%`), sql`not ${stepsLike(`%${name}:passed,%`)}`];
}

function stepsLike(pattern: string): RawBuilder<unknown> {
  return sql`(',' || request_kinds.steps || ',') like ${pattern} escape '\\'`;
}

/** Escapes wildcards. */
function escapeLike(text: string): string {
  return text.replaceAll(/[%_\\]/g, '\\$&');
}
