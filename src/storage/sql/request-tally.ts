import { columnNames, stepsIn, toSteps } from './request-log-row.ts';

type Value = string | number | null;

/** A row of sums that is added to the one that is there already, or a kind that may be there. */
interface Added {
  readonly sql: string;
  readonly values: readonly Value[];
}

const kindColumns = [
  ...([
    'kind',
    'account_id',
    'key_id',
    'asked_by',
    'model_asked',
    'model_used',
    'provider',
    'status',
  ] as const),
  ...(['ending', 'error_code'] as const),
];
const kindPlaces = kindColumns.map(placeOf);
const sumColumns = [
  ...(['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens', 'cost_nano_usd'] as const),
  ...(['saved_nano_usd'] as const),
];
const sumPlaces = sumColumns.map(placeOf);
const place = {
  kind: placeOf('kind'),
  atMs: placeOf('at_ms'),
  account: placeOf('account_id'),
  askedBy: placeOf('asked_by'),
  modelAsked: placeOf('model_asked'),
  modelUsed: placeOf('model_used'),
  provider: placeOf('provider'),
  contentUs: placeOf('content_us'),
  overheadUs: placeOf('overhead_us'),
  steps: placeOf('steps'),
};
const minuteMs = 60_000;

/**
 * What calls that were added come to, by kind, time and module, as PostgreSQL's trigger counts them. SQLite has triggers
 * for each row alone, and its statements over all of the rows take several times what this does.
 */
export class Tally {
  readonly #kinds = new Rows('request_kinds', [...kindColumns, 'steps'], []);
  readonly #sums = new Rows('request_sums', ['account_id', 'kind', 'at_ms'], ['requests', ...sumColumns]);
  readonly #times = new Rows(
    'request_times',
    ['account_id', 'at_ms', 'what', 'provider', 'model', 'bin'],
    ['requests'],
  );
  readonly #steps = new Rows(
    'request_steps',
    ['account_id', 'at_ms', 'module', 'effect'],
    ['requests', 'own_us', 'saved_nano_usd'],
  );

  /** A call as the values of its columns. Without a kind it comes from an earlier version, and is not counted. */
  add(call: readonly unknown[]): void {
    const kind = textAt(call, place.kind);
    if (kind === '') return;
    const account = textAt(call, place.account);
    const minute = Math.floor(numberAt(call, place.atMs) / minuteMs) * minuteMs;
    const steps = stepsOf(call[place.steps]);
    if (!this.#kinds.has(kind)) {
      const names = steps.map(({ module, effect }) => `${module}:${effect}`).join(',');
      this.#kinds.add(kind, [...kindPlaces.map((at) => valueAt(call, at)), names], []);
    }
    const amounts = sumPlaces.map((at) => numberAt(call, at));
    this.#sums.add(`${kind} ${minute}`, [account, kind, minute], [1, ...amounts]);
    for (const { module, effect, ms, savedNanoUsd = 0 } of steps)
      this.#steps.add(
        `${account} ${minute} ${module} ${effect}`,
        [account, minute, module, effect],
        [1, Math.round(ms * 1000), savedNanoUsd],
      );
    if (call[place.askedBy] === null) this.#addTimes(call, { kind, account, minute });
  }

  *rows(): Iterable<Added> {
    for (const rows of [this.#kinds, this.#sums, this.#times, this.#steps]) yield* rows.all();
  }

  #addTimes(call: readonly unknown[], of: { kind: string; account: string; minute: number }): void {
    const { kind, account, minute } = of;
    const overhead = binOf(numberAt(call, place.overheadUs));
    this.#times.add(`${account} ${minute} ${overhead}`, [account, minute, 'overhead', '', '', overhead], [1]);
    if (call[place.contentUs] === null) return;
    const content = binOf(numberAt(call, place.contentUs));
    const model = valueAt(call, place.modelUsed) ?? valueAt(call, place.modelAsked);
    // A kind has one provider and one model.
    this.#times.add(
      `${kind} ${minute} ${content}`,
      [account, minute, 'content', valueAt(call, place.provider) ?? '', model, content],
      [1],
    );
  }
}

/** Rows of one table, each with the sums of those that were added under its name. */
class Rows {
  readonly #sql: string;
  readonly #named = new Map<string, { readonly key: readonly Value[]; readonly sums: number[] }>();

  constructor(table: string, key: readonly string[], sums: readonly string[]) {
    const adding = sums.map((name) => `${name} = ${table}.${name} + excluded.${name}`);
    this.#sql = `insert into ${table} (${[...key, ...sums].join(', ')})
      values (${[...key, ...sums].map(() => '?').join(', ')})
      on conflict ${sums.length === 0 ? 'do nothing' : `(${key.join(', ')}) do update set ${adding.join(', ')}`}`;
  }

  has(name: string): boolean {
    return this.#named.has(name);
  }

  add(name: string, key: readonly Value[], amounts: readonly number[]): void {
    const row = this.#named.get(name);
    if (row === undefined) this.#named.set(name, { key, sums: [...amounts] });
    else for (const [at, amount] of amounts.entries()) row.sums[at] = (row.sums[at] ?? 0) + amount;
  }

  *all(): Iterable<Added> {
    for (const { key, sums } of this.#named.values()) yield { sql: this.#sql, values: [...key, ...sums] };
  }
}

function placeOf(column: (typeof columnNames)[number]): number {
  return columnNames.indexOf(column);
}

function valueAt(call: readonly unknown[], at: number): Value {
  const value = call[at];
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

function textAt(call: readonly unknown[], at: number): string {
  return String(call[at]);
}

/** What nobody told adds nothing. */
function numberAt(call: readonly unknown[], at: number): number {
  return Number(call[at]);
}

/** An earlier version packed them as text. */
function stepsOf(steps: unknown) {
  return typeof steps === 'string' ? toSteps(steps) : stepsIn(steps);
}

/** An eighth of what a time has to grow to be `e` times itself. */
function binOf(us: number): number {
  return Math.trunc(8 * Math.log(Math.max(us, 1)));
}
