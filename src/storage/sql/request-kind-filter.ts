import { type RawBuilder, sql } from 'kysely';
import type { LogFilter, LogQuestion } from '../../kernel/ports/request-log.ts';
import { isRequestIdStart } from '../../kernel/request-id.ts';
import type { Effect } from '../../kernel/trace.ts';

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
  const name = module === undefined ? '' : `,${literal(module)}`;
  if (effect !== undefined) {
    const any = effectsIn(effect).map((one) => having(`%${name}:${one},%`));
    return [sql`(${sql.join(any, sql` or `)})`];
  }
  if (module === undefined) return [];
  return [having(`%${name}:%`), sql`not ${having(`%${name}:passed,%`)}`];
}

/** A module that changed both is found by either. */
function effectsIn(effect: Effect): readonly Effect[] {
  return effect === 'changed-request' || effect === 'changed-reply' ? [effect, 'changed-both'] : [effect];
}

function having(pattern: string): RawBuilder<unknown> {
  return sql`(',' || request_kinds.steps || ',') like ${pattern} escape '\\'`;
}

/** What stands for others in a pattern stands for itself. */
function literal(text: string): string {
  return text.replaceAll(/[%_\\]/g, '\\$&');
}
