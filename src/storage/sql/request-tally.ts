import { readSteps } from '../../kernel/ports/logged-call-parts.ts';
import { type LoggedStep, toolCallWire } from '../../kernel/ports/request-log.ts';
import { type CallValues, columnIndexOf, numberAt, type SqlValue, valueAt } from './call-values.ts';
import { ConversationTally, conversationTable } from './conversation-tally.ts';
import { EndUserTally, endUserTable } from './end-user-tally.ts';
import { amountColumns } from './request-log-row.ts';
import type { SumTable, UpsertRow } from './sum-table.ts';

const kindColumns = [
  ...(['kind', 'account_id', 'key_id', 'asked_by', 'model_asked', 'model_used', 'provider'] as const),
  ...(['status', 'ending', 'error_code', 'client', 'provider_error'] as const),
];
const amountColumnNames = amountColumns.map(([column]) => column);
const kindTable: SumTable = { name: 'request_kinds', key: [...kindColumns, 'steps'], sums: [] };
const sumTable: SumTable = {
  name: 'request_sums',
  key: ['account_id', 'kind', 'at_ms'],
  sums: ['requests', ...amountColumnNames],
};
const timeTable: SumTable = {
  name: 'request_times',
  // The order of the last release's trigger, so that neither waits for the other in a circle.
  key: ['what', 'account_id', 'at_ms', 'provider', 'model', 'bin'],
  sums: ['requests'],
};
const stepTable: SumTable = {
  name: 'request_steps',
  key: ['account_id', 'at_ms', 'module', 'effect'],
  sums: ['requests', 'own_us', 'saved_nano_usd'],
};
const stepTimeTable: SumTable = {
  name: 'request_step_times',
  key: ['account_id', 'at_ms', 'module', 'bin'],
  sums: ['requests'],
};
/** In the order in which they are written everywhere. */
export const sumTables = [
  ...[kindTable, sumTable, timeTable, stepTable, stepTimeTable],
  ...[conversationTable, endUserTable],
];

const kindColumnIndexes = kindColumns.map(columnIndexOf);
const amountColumnIndexes = amountColumnNames.map(columnIndexOf);
const columnIndexes = {
  kind: columnIndexOf('kind'),
  atMs: columnIndexOf('at_ms'),
  account: columnIndexOf('account_id'),
  askedBy: columnIndexOf('asked_by'),
  modelAsked: columnIndexOf('model_asked'),
  modelUsed: columnIndexOf('model_used'),
  provider: columnIndexOf('provider'),
  wire: columnIndexOf('wire'),
  contentUs: columnIndexOf('content_us'),
  overheadUs: columnIndexOf('overhead_us'),
  steps: columnIndexOf('steps'),
};
const minuteMs = 60_000;

/**
 * Sums added calls by kind, time, module, conversation and end user. Aggregating in SQL would take several times as long as this.
 */
export class RequestTally {
  readonly #groups = new Map<string, KindMinuteTally>();
  /** Kinds of calls of MCP tools: they are found in the log, and count in no sums. */
  readonly #toolCalls = new Map<string, CallValues>();
  readonly #conversations = new ConversationTally();
  readonly #endUsers = new EndUserTally();
  #latest: KindMinuteTally | undefined;

  /** Takes a call as the values of its columns. A call without a kind comes from an earlier version and is not counted. */
  add(callValues: CallValues): void {
    const kind = String(callValues[columnIndexes.kind]);
    if (kind === '') return;
    if (callValues[columnIndexes.wire] === toolCallWire) {
      this.#toolCalls.set(kind, callValues);
      return;
    }
    const minute = Math.floor(numberAt(callValues, columnIndexes.atMs) / minuteMs) * minuteMs;
    // Most calls are like the previous one; only others need a key.
    if (this.#latest?.isOf(kind, minute) !== true) this.#latest = this.#groupOf(callValues, kind, minute);
    this.#latest.add(callValues);
    this.#conversations.add(callValues);
    this.#endUsers.add(callValues);
  }

  #groupOf(callValues: CallValues, kind: string, minute: number): KindMinuteTally {
    const name = `${kind} ${minute}`;
    const kindMinuteTally = this.#groups.get(name) ?? new KindMinuteTally(callValues, kind, minute);
    this.#groups.set(name, kindMinuteTally);
    return kindMinuteTally;
  }

  *rows(): Iterable<UpsertRow> {
    for (const toolCall of this.#toolCalls.values()) yield kindRow(toolCall, stepsOf(toolCall));
    for (const kindMinuteTally of this.#groups.values()) yield* kindMinuteTally.rows();
    yield* this.#conversations.rows();
    yield* this.#endUsers.rows();
  }
}

/** Calls of one kind in one minute. They share account, model, provider and the order of modules. */
class KindMinuteTally {
  readonly #first: CallValues;
  readonly #kind: string;
  readonly #minute: number;
  readonly #steps: readonly StepTotals[];
  readonly #isCached: boolean;
  readonly #sums: number[] = amountColumnIndexes.map(() => 0);
  readonly #overheads = new Map<number, number>();
  readonly #contents = new Map<number, number>();
  #calls = 0;

  constructor(first: CallValues, kind: string, minute: number) {
    this.#first = first;
    this.#kind = kind;
    this.#minute = minute;
    this.#steps = stepsOf(first).map(({ module, effect }) => ({
      module,
      effect,
      ownUs: 0,
      savedNanoUsd: 0,
      times: new Map(),
    }));
    this.#isCached = this.#steps.some(({ effect }) => effect === 'answered');
  }

  isOf(kind: string, minute: number): boolean {
    return this.#minute === minute && this.#kind === kind;
  }

  add(callValues: CallValues): void {
    this.#calls++;
    for (const [at, column] of amountColumnIndexes.entries())
      this.#sums[at] = (this.#sums[at] ?? 0) + numberAt(callValues, column);
    if (this.#steps.length > 0)
      for (const [at, { ms, savedNanoUsd = 0 }] of stepsOf(callValues).entries()) {
        const step = this.#steps[at];
        if (step === undefined) continue;
        const us = Math.round(ms * 1000);
        step.ownUs += us;
        countInBin(step.times, us);
        step.savedNanoUsd += savedNanoUsd;
      }
    countInBin(this.#overheads, callValues[columnIndexes.overheadUs]);
    // A cache says nothing about how fast a model is.
    if (!this.#isCached) countInBin(this.#contents, callValues[columnIndexes.contentUs]);
  }

  *rows(): Iterable<UpsertRow> {
    const first = this.#first;
    const account = valueAt(first, columnIndexes.account);
    yield kindRow(first, this.#steps);
    yield {
      table: sumTable,
      values: [account, this.#kind, this.#minute, this.#calls, ...this.#sums],
    };
    // No client waits for a module's own model call.
    if (valueAt(first, columnIndexes.askedBy) === null) yield* this.#times(account);
    for (const { module, effect, ownUs, savedNanoUsd } of this.#steps)
      yield {
        table: stepTable,
        values: [account, this.#minute, module, effect, this.#calls, ownUs, savedNanoUsd],
      };
    for (const { module, times } of this.#steps)
      for (const [bin, calls] of times)
        yield { table: stepTimeTable, values: [account, this.#minute, module, bin, calls] };
  }

  *#times(account: SqlValue): Iterable<UpsertRow> {
    const provider = valueAt(this.#first, columnIndexes.provider) ?? '';
    const model =
      valueAt(this.#first, columnIndexes.modelUsed) ?? valueAt(this.#first, columnIndexes.modelAsked);
    for (const [bin, calls] of this.#contents)
      yield { table: timeTable, values: ['content', account, this.#minute, provider, model, bin, calls] };
    for (const [bin, calls] of this.#overheads)
      yield { table: timeTable, values: ['overhead', account, this.#minute, '', '', bin, calls] };
  }
}

function kindRow(callValues: CallValues, steps: readonly Pick<LoggedStep, 'module' | 'effect'>[]): UpsertRow {
  const names = steps.map(({ module, effect }) => `${module}:${effect}`).join(',');
  return { table: kindTable, values: [...kindColumnIndexes.map((at) => valueAt(callValues, at)), names] };
}

interface StepTotals extends Pick<LoggedStep, 'module' | 'effect'> {
  ownUs: number;
  savedNanoUsd: number;
  /** Calls by bin of the module's own time. */
  readonly times: Map<number, number>;
}

/** Logarithmic bins: eight per factor of `e`. */
function countInBin(bins: Map<number, number>, us: unknown): void {
  if (typeof us !== 'number') return;
  const bin = Math.trunc(8 * Math.log(Math.max(us, 1)));
  bins.set(bin, (bins.get(bin) ?? 0) + 1);
}

/** An earlier version packed steps as text. */
function stepsOf(callValues: CallValues): readonly LoggedStep[] {
  const steps = callValues[columnIndexes.steps];
  return readSteps(typeof steps === 'string' ? JSON.parse(steps) : steps);
}
