import type { LoggedStep } from '../../kernel/ports/request-log.ts';
import { amountColumns, columnNames, stepsIn, toSteps } from './request-log-row.ts';

type Call = readonly unknown[];
type Value = string | number | null;

/** A row of sums that is added to the one that is there already, or a kind that may be there. */
interface Added {
  readonly sql: string;
  readonly values: readonly Value[];
}

const kindColumns = [
  ...(['kind', 'account_id', 'key_id', 'asked_by', 'model_asked', 'model_used', 'provider'] as const),
  ...(['status', 'ending', 'error_code'] as const),
];
const sumColumns = amountColumns.map(([column]) => column);
const insertKind = adding('request_kinds', [...kindColumns, 'steps'], []);
const addSums = adding('request_sums', ['account_id', 'kind', 'at_ms'], ['requests', ...sumColumns]);
const addTime = adding(
  'request_times',
  ['account_id', 'at_ms', 'what', 'provider', 'model', 'bin'],
  ['requests'],
);
const addStep = adding(
  'request_steps',
  ['account_id', 'at_ms', 'module', 'effect'],
  ['requests', 'own_us', 'saved_nano_usd'],
);

const kindPlaces = kindColumns.map(placeOf);
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
  readonly #groups = new Map<string, Group>();
  #latest: Group | undefined;

  /** A call as the values of its columns. Without a kind it comes from an earlier version, and is not counted. */
  add(call: Call): void {
    const kind = String(call[place.kind]);
    if (kind === '') return;
    const minute = Math.floor(numberAt(call, place.atMs) / minuteMs) * minuteMs;
    // Most calls are like the one before; a name is put together for others.
    if (this.#latest?.isOf(kind, minute) !== true) this.#latest = this.#groupOf(call, kind, minute);
    this.#latest.add(call);
  }

  #groupOf(call: Call, kind: string, minute: number): Group {
    const name = `${kind} ${minute}`;
    const group = this.#groups.get(name) ?? new Group(call, kind, minute);
    this.#groups.set(name, group);
    return group;
  }

  *rows(): Iterable<Added> {
    for (const group of this.#groups.values()) yield* group.rows();
  }
}

/** Calls of one kind in one minute: they have the same account, model and provider, and the same modules in one order. */
class Group {
  readonly #first: Call;
  readonly #kind: string;
  readonly #minute: number;
  readonly #steps: readonly StepSums[];
  readonly #sums: number[] = sumPlaces.map(() => 0);
  readonly #overheads = new Map<number, number>();
  readonly #contents = new Map<number, number>();
  #calls = 0;

  constructor(first: Call, kind: string, minute: number) {
    this.#first = first;
    this.#kind = kind;
    this.#minute = minute;
    this.#steps = stepsOf(first).map(({ module, effect }) => ({ module, effect, ownUs: 0, savedNanoUsd: 0 }));
  }

  isOf(kind: string, minute: number): boolean {
    return this.#minute === minute && this.#kind === kind;
  }

  add(call: Call): void {
    this.#calls++;
    for (const [at, column] of sumPlaces.entries())
      this.#sums[at] = (this.#sums[at] ?? 0) + numberAt(call, column);
    if (this.#steps.length > 0)
      for (const [at, { ms, savedNanoUsd = 0 }] of stepsOf(call).entries()) {
        const step = this.#steps[at];
        if (step === undefined) continue;
        step.ownUs += Math.round(ms * 1000);
        step.savedNanoUsd += savedNanoUsd;
      }
    count(this.#overheads, call[place.overheadUs]);
    count(this.#contents, call[place.contentUs]);
  }

  *rows(): Iterable<Added> {
    const first = this.#first;
    const account = valueAt(first, place.account);
    const names = this.#steps.map(({ module, effect }) => `${module}:${effect}`).join(',');
    yield { sql: insertKind, values: [...kindPlaces.map((at) => valueAt(first, at)), names] };
    yield {
      sql: addSums,
      values: [account, this.#kind, this.#minute, this.#calls, ...this.#sums],
    };
    // What a module asked by itself is no call that somebody waited for.
    if (valueAt(first, place.askedBy) === null) yield* this.#times(account);
    for (const { module, effect, ownUs, savedNanoUsd } of this.#steps)
      yield {
        sql: addStep,
        values: [account, this.#minute, module, effect, this.#calls, ownUs, savedNanoUsd],
      };
  }

  *#times(account: Value): Iterable<Added> {
    const provider = valueAt(this.#first, place.provider) ?? '';
    const model = valueAt(this.#first, place.modelUsed) ?? valueAt(this.#first, place.modelAsked);
    for (const [bin, calls] of this.#contents)
      yield { sql: addTime, values: [account, this.#minute, 'content', provider, model, bin, calls] };
    for (const [bin, calls] of this.#overheads)
      yield { sql: addTime, values: [account, this.#minute, 'overhead', '', '', bin, calls] };
  }
}

interface StepSums extends Pick<LoggedStep, 'module' | 'effect'> {
  ownUs: number;
  savedNanoUsd: number;
}

function adding(table: string, key: readonly string[], sums: readonly string[]): string {
  const added = sums.map((name) => `${name} = ${table}.${name} + excluded.${name}`);
  return `insert into ${table} (${[...key, ...sums].join(', ')})
    values (${[...key, ...sums].map(() => '?').join(', ')})
    on conflict ${sums.length === 0 ? 'do nothing' : `(${key.join(', ')}) do update set ${added.join(', ')}`}`;
}

/** In bins, each an eighth of what a time has to grow to be `e` times itself. */
function count(bins: Map<number, number>, us: unknown): void {
  if (typeof us !== 'number') return;
  const bin = Math.trunc(8 * Math.log(Math.max(us, 1)));
  bins.set(bin, (bins.get(bin) ?? 0) + 1);
}

function placeOf(column: (typeof columnNames)[number]): number {
  return columnNames.indexOf(column);
}

function valueAt(call: Call, at: number): Value {
  const value = call[at];
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

/** What nobody told adds nothing. */
function numberAt(call: Call, at: number): number {
  return Number(call[at]);
}

/** An earlier version packed them as text. */
function stepsOf(call: Call): readonly LoggedStep[] {
  const steps = call[place.steps];
  return typeof steps === 'string' ? toSteps(steps) : stepsIn(steps);
}
