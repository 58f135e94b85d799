import { type Kysely, sql } from 'kysely';
import type { SchemaTables } from '../tables.ts';

const kindColumns =
  'kind, account_id, key_id, asked_by, model_asked, model_used, provider, status, ending, error_code';
const sumColumns =
  'requests, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_nano_usd, saved_nano_usd';

/** Where the row is there already, the new one is added to it. */
function adding(table: string, key: string, columns: string): string {
  const sums = columns.split(', ').map((name) => `${name} = ${table}.${name} + excluded.${name}`);
  return `on conflict (${key}) do update set ${sums.join(', ')}`;
}

const addSums = adding('request_sums', 'account_id, kind, at_ms', sumColumns);
const addTimes = adding('request_times', 'account_id, at_ms, what, provider, model, bin', 'requests');
const addSteps = adding(
  'request_steps',
  'account_id, at_ms, module, effect',
  'requests, own_us, saved_nano_usd',
);

/** With the call itself, so that sums are right whatever fails: a call that is there already is not added again. */
export async function countInSqlite(db: Kysely<SchemaTables>): Promise<void> {
  const minute = 'new.at_ms / 60000 * 60000';
  const bin = (us: string) => `cast(8 * ln(max(${us}, 1)) as integer)`;
  const target = `coalesce(new.provider, ''), coalesce(new.model_used, new.model_asked)`;
  await sql
    .raw(`create trigger requests_counted after insert on requests when new.kind <> '' begin
      insert into request_kinds (${kindColumns}, steps)
        select ${kindColumns.replaceAll(/\w+/g, 'new.$&')}, (
          select coalesce(group_concat((value ->> 'module') || ':' || (value ->> 'effect'), ','), '')
          from json_each(new.steps))
        where not exists (select 1 from request_kinds where kind = new.kind);
      insert into request_sums (account_id, kind, at_ms, ${sumColumns})
        values (new.account_id, new.kind, ${minute}, 1, coalesce(new.input_tokens, 0),
          coalesce(new.output_tokens, 0), coalesce(new.cache_read_tokens, 0), coalesce(new.cache_write_tokens, 0),
          coalesce(new.cost_nano_usd, 0), new.saved_nano_usd)
        ${addSums};
      insert into request_times (account_id, at_ms, what, provider, model, bin, requests)
        select new.account_id, ${minute}, 'content', ${target}, ${bin('new.content_us')}, 1
        where new.content_us is not null and new.asked_by is null
        ${addTimes};
      insert into request_times (account_id, at_ms, what, provider, model, bin, requests)
        select new.account_id, ${minute}, 'overhead', '', '', ${bin('new.overhead_us')}, 1
        where new.asked_by is null
        ${addTimes};
      insert into request_steps (account_id, at_ms, module, effect, requests, own_us, saved_nano_usd)
        select new.account_id, ${minute}, value ->> 'module', value ->> 'effect', 1,
          cast(round((value ->> 'ms') * 1000) as integer), coalesce(value ->> 'savedNanoUsd', 0)
        from json_each(new.steps) where true
        ${addSteps};
    end`)
    .execute(db);
}

/** In one order everywhere, so that two who write the same rows don't wait for each other in a circle. */
export async function countInPostgres(db: Kysely<SchemaTables>): Promise<void> {
  const minute = 'at_ms / 60000 * 60000';
  const bin = (us: string) => `cast(floor(8 * ln(greatest(${us}, 1))) as bigint)`;
  const timed = (what: string, target: string, us: string, where: string) => `
      insert into request_times (account_id, at_ms, what, provider, model, bin, requests)
        select account_id, ${minute}, '${what}', ${target}, ${bin(us)}, count(*)
        from added where kind <> '' and asked_by is null ${where}
        group by 1, 2, 4, 5, 6 order by 1, 2, 4, 5, 6
        ${addTimes};`;
  const body = `begin
      insert into request_kinds (${kindColumns}, steps)
        select distinct on (kind) ${kindColumns}, (
          select coalesce(string_agg((step ->> 'module') || ':' || (step ->> 'effect'), ',' order by place), '')
          from jsonb_array_elements(cast(steps as jsonb)) with ordinality as listed (step, place))
        from added
        where kind <> '' and not exists (select 1 from request_kinds where request_kinds.kind = added.kind)
        order by kind
        on conflict do nothing;
      insert into request_sums (account_id, kind, at_ms, ${sumColumns})
        select account_id, kind, ${minute}, count(*), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),
          coalesce(sum(cache_read_tokens), 0), coalesce(sum(cache_write_tokens), 0), coalesce(sum(cost_nano_usd), 0),
          sum(saved_nano_usd)
        from added where kind <> '' group by 1, 2, 3 order by 1, 2, 3
        ${addSums};
      ${timed('content', `coalesce(provider, ''), coalesce(model_used, model_asked)`, 'content_us', 'and content_us is not null')}
      ${timed('overhead', `''::text collate "C", ''::text collate "C"`, 'overhead_us', '')}
      insert into request_steps (account_id, at_ms, module, effect, requests, own_us, saved_nano_usd)
        select account_id, ${minute}, step ->> 'module', step ->> 'effect', count(*),
          sum(cast(round(cast(step ->> 'ms' as numeric) * 1000) as bigint)),
          coalesce(sum(cast(step ->> 'savedNanoUsd' as bigint)), 0)
        from added, jsonb_array_elements(cast(steps as jsonb)) as step where kind <> ''
        group by 1, 2, 3, 4 order by 1, 2, 3, 4
        ${addSteps};
      return null;
    end`;
  await sql
    .raw(`create function requests_count() returns trigger language plpgsql as $count$ ${body} $count$`)
    .execute(db);
  await sql
    .raw(`create trigger requests_counted after insert on requests referencing new table as added
      for each statement execute function requests_count()`)
    .execute(db);
}
