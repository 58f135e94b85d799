import { type RawBuilder, sql } from 'kysely';
import type { LogFilter, LogQuestion } from '../../kernel/ports/request-log.ts';
import { isRequestIdStart } from '../../kernel/request-id.ts';

/** Which kinds of calls a question is about; undefined where all calls of the account are meant, or all there are. */
export function matchingKinds({ accountId, filter }: LogQuestion): RawBuilder<unknown> | undefined {
  const wanted = conditionsOf(filter);
  if (wanted.length === 0) return undefined;
  if (accountId !== undefined) wanted.unshift(sql`request_kinds.account_id = ${accountId}`);
  return sql.join(wanted, sql` and `);
}

function conditionsOf(filter: LogFilter): RawBuilder<unknown>[] {
  const { model, provider, keyId, ending, status, search } = filter;
  const all: RawBuilder<unknown>[] = [];
  if (model !== undefined) all.push(sql`(model_asked = ${model} or model_used = ${model})`);
  if (provider !== undefined) all.push(sql`provider = ${provider}`);
  if (keyId !== undefined) all.push(sql`key_id = ${keyId}`);
  if (ending !== undefined) all.push(sql`ending = ${ending}`);
  if (status === 'error') all.push(sql`(status >= 400 or ending = 'failed')`);
  else if (status !== undefined) all.push(sql`status between ${status.least} and ${status.greatest}`);
  if (search !== undefined && !isRequestIdStart(search)) all.push(saying(search));
  return [...all, ...stepsOf(filter)];
}

function saying(search: string): RawBuilder<unknown> {
  const part = `%${literal(search.toLowerCase())}%`;
  const columns = ['model_asked', 'model_used', 'error_code'].map(
    (name) => sql`lower(${sql.ref(`request_kinds.${name}`)}) like ${part} escape '\\'`,
  );
  return sql`(${sql.join(columns, sql` or `)})`;
}

function stepsOf({ module, effect }: LogFilter): readonly RawBuilder<unknown>[] {
  if (module === undefined) return effect === undefined ? [] : [having(`%:${effect},%`)];
  const name = literal(module);
  if (effect !== undefined) return [having(`%,${name}:${effect},%`)];
  return [having(`%,${name}:%`), sql`not ${having(`%,${name}:passed,%`)}`];
}

function having(pattern: string): RawBuilder<unknown> {
  return sql`(',' || request_kinds.steps || ',') like ${pattern} escape '\\'`;
}

/** What stands for others in a pattern stands for itself. */
function literal(text: string): string {
  return text.replaceAll(/[%_\\]/g, '\\$&');
}
