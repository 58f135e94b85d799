const kindColumns =
  'kind, account_id, key_id, asked_by, model_asked, model_used, provider, status, ending, error_code';
const sumColumns =
  'requests, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_nano_usd, saved_nano_usd';
const minute = 'at_ms / 60000 * 60000';
const times = 'account_id, at_ms, what, provider, model, bin';

/** Adds to a row that exists. */
function adding(table: string, key: string, columns: string): string {
  const sums = columns.split(', ').map((name) => `${name} = ${table}.${name} + excluded.${name}`);
  return `on conflict (${key}) do update set ${sums.join(', ')}`;
}

/** The SQL in which the two databases differ. */
interface Dialect {
  /** The beginning of each statement. */
  readonly before: string;
  /** Rows with a `step` for each step of a call. */
  readonly steps: string;
  /** The steps of one call, as a list of names and effects in order. */
  readonly stepNames: string;
  readonly text: (name: string) => string;
  readonly stepUs: string;
  readonly bin: (us: string) => string;
  readonly nothing: string;
}

/**
 * Adds the calls in `added` to the tables of kinds and sums. All transactions write these tables in the same order, so that
 * they can't deadlock.
 */
function counting({ before, steps, stepNames, text, stepUs, bin, nothing }: Dialect): readonly string[] {
  const timed = (what: string, target: string, us: string) =>
    `${before} insert into request_times (${times}, requests)
      select account_id, ${minute}, '${what}', ${target}, ${bin(us)}, count(*)
      from added where kind <> '' and asked_by is null and ${us} is not null
      group by 1, 2, 4, 5, 6 order by 1, 2, 4, 5, 6
      ${adding('request_times', times, 'requests')}`;
  return [
    `${before} insert into request_kinds (${kindColumns}, steps)
      select ${kindColumns}, (${stepNames}) from added
      where kind <> '' and not exists (select 1 from request_kinds where request_kinds.kind = added.kind)
      order by kind
      on conflict do nothing`,
    `${before} insert into request_sums (account_id, kind, at_ms, ${sumColumns})
      select account_id, kind, ${minute}, count(*), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),
        coalesce(sum(cache_read_tokens), 0), coalesce(sum(cache_write_tokens), 0), coalesce(sum(cost_nano_usd), 0),
        sum(saved_nano_usd)
      from added where kind <> '' group by 1, 2, 3 order by 1, 2, 3
      ${adding('request_sums', 'account_id, kind, at_ms', sumColumns)}`,
    timed('content', `coalesce(provider, ''), coalesce(model_used, model_asked)`, 'content_us'),
    timed('overhead', `${nothing}, ${nothing}`, 'overhead_us'),
    `${before} insert into request_steps (account_id, at_ms, module, effect, requests, own_us, saved_nano_usd)
      select account_id, ${minute}, ${text('module')}, ${text('effect')}, count(*), sum(${stepUs}),
        coalesce(sum(cast(${text('savedNanoUsd')} as bigint)), 0)
      from added, ${steps} where kind <> '' group by 1, 2, 3, 4 order by 1, 2, 3, 4
      ${adding('request_steps', 'account_id, at_ms, module, effect', 'requests, own_us, saved_nano_usd')}`,
  ];
}

/** Counts all stored calls. Later ones are counted by the process that stores them. */
export const sqliteCounting = counting({
  before: 'with added as (select * from requests)',
  steps: 'json_each(added.steps) as step',
  stepNames: `select coalesce(group_concat((value ->> 'module') || ':' || (value ->> 'effect'), ','), '')
    from json_each(added.steps)`,
  text: (name) => `(step.value ->> '${name}')`,
  stepUs: `cast(round((step.value ->> 'ms') * 1000) as integer)`,
  bin: (us) => `cast(8 * ln(max(${us}, 1)) as integer)`,
  nothing: `''`,
});

/** Counts the calls that a statement adds, in its trigger: together with the calls, so that none is counted twice. */
export const postgresCounting = counting({
  before: '',
  steps: 'jsonb_array_elements(cast(steps as jsonb)) as step',
  stepNames: `select coalesce(string_agg((step ->> 'module') || ':' || (step ->> 'effect'), ',' order by place), '')
    from jsonb_array_elements(cast(added.steps as jsonb)) with ordinality as listed (step, place)`,
  text: (name) => `(step ->> '${name}')`,
  stepUs: `cast(round(cast(step ->> 'ms' as numeric) * 1000) as bigint)`,
  bin: (us) => `cast(floor(8 * ln(greatest(${us}, 1))) as bigint)`,
  nothing: `''::text collate "C"`,
});
