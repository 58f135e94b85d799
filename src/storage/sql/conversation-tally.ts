import { type CallValues, columnIndexOf, numberAt, type SqlValue, valueAt } from './call-values.ts';
import { amountColumns } from './request-log-row.ts';
import type { MergedColumn, SumTable, UpsertRow } from './sum-table.ts';

/** Further models of a conversation are left out. */
const modelsCharactersMax = 1000;
const amountColumnNames = amountColumns.map(([column]) => column);
const firstSet: MergedColumn['merge'] = (stored, added) => `coalesce(${stored}, ${added})`;
const greatest: MergedColumn['merge'] = (stored, added) =>
  `case when ${added} > ${stored} then ${added} else ${stored} end`;

export const conversationTable: SumTable = {
  name: 'conversations',
  key: ['account_id', 'conversation'],
  sums: ['requests', 'failed', ...amountColumnNames],
  merged: [
    {
      name: 'first_ms',
      kind: 'integer',
      merge: (stored, added) => `case when ${added} < ${stored} then ${added} else ${stored} end`,
    },
    { name: 'last_ms', kind: 'integer', merge: greatest },
    { name: 'last_hour_ms', kind: 'integer', merge: greatest },
    { name: 'key_id', kind: 'text', merge: firstSet },
    { name: 'client', kind: 'text', merge: firstSet },
    { name: 'end_user', kind: 'text', merge: firstSet },
    {
      name: 'models',
      kind: 'text',
      // Appended unless it is in there; a function that finds a text has another name in each database.
      merge: (stored, added) => `case when length(${stored}) > ${modelsCharactersMax}
        or replace(${stored}, ${added}, '') <> ${stored} then ${stored} else ${stored} || ${added} end`,
    },
  ],
};

const amountColumnIndexes = amountColumnNames.map(columnIndexOf);
const columnIndexes = {
  account: columnIndexOf('account_id'),
  conversation: columnIndexOf('conversation'),
  parent: columnIndexOf('parent_conversation'),
  atMs: columnIndexOf('at_ms'),
  totalUs: columnIndexOf('total_us'),
  status: columnIndexOf('status'),
  ending: columnIndexOf('ending'),
  modelAsked: columnIndexOf('model_asked'),
  modelUsed: columnIndexOf('model_used'),
};
const firstSetIndexes = (['key_id', 'client', 'end_user'] as const).map(columnIndexOf);
const hourMs = 3_600_000;

/** Sums added calls by conversation. Calls of subagents count in the conversation that started them. */
export class ConversationTally {
  readonly #conversations = new Map<string, ConversationTotals>();

  add(callValues: CallValues): void {
    const name = valueAt(callValues, columnIndexes.parent) ?? valueAt(callValues, columnIndexes.conversation);
    if (name === null) return;
    const account = valueAt(callValues, columnIndexes.account);
    const key = `${account}\n${name}`;
    const totals = this.#conversations.get(key) ?? new ConversationTotals(account, name);
    this.#conversations.set(key, totals);
    totals.add(callValues);
  }

  *rows(): Iterable<UpsertRow> {
    for (const totals of this.#conversations.values())
      yield { table: conversationTable, values: totals.values() };
  }
}

class ConversationTotals {
  readonly #key: readonly SqlValue[];
  readonly #sums: number[] = amountColumnIndexes.map(() => 0);
  readonly #firstSet: SqlValue[] = firstSetIndexes.map(() => null);
  readonly #models = new Set<string>();
  #calls = 0;
  #failed = 0;
  #firstMs = Number.MAX_SAFE_INTEGER;
  #lastMs = 0;

  constructor(...key: readonly SqlValue[]) {
    this.#key = key;
  }

  add(callValues: CallValues): void {
    this.#calls++;
    if (numberAt(callValues, columnIndexes.status) >= 400 || callValues[columnIndexes.ending] === 'failed')
      this.#failed++;
    for (const [at, column] of amountColumnIndexes.entries())
      this.#sums[at] = (this.#sums[at] ?? 0) + numberAt(callValues, column);
    for (const [at, column] of firstSetIndexes.entries()) this.#firstSet[at] ??= valueAt(callValues, column);
    const atMs = numberAt(callValues, columnIndexes.atMs);
    this.#firstMs = Math.min(this.#firstMs, atMs);
    this.#lastMs = Math.max(
      this.#lastMs,
      atMs + Math.round(numberAt(callValues, columnIndexes.totalUs) / 1000),
    );
    const model = callValues[columnIndexes.modelUsed] ?? callValues[columnIndexes.modelAsked];
    this.#models.add(String(model).replaceAll('\n', ' '));
  }

  values(): readonly SqlValue[] {
    const lastHourMs = Math.floor(this.#lastMs / hourMs) * hourMs;
    return [
      ...this.#key,
      this.#calls,
      this.#failed,
      ...this.#sums,
      ...[this.#firstMs, this.#lastMs, lastHourMs],
      ...this.#firstSet,
      [...this.#models].map((model) => `\n${model}\n`).join(''),
    ];
  }
}

/** The models of a stored text, in the order of their first calls. */
export function parseModels(models: string): readonly string[] {
  return [...new Set(models.split('\n').filter((model) => model !== ''))];
}
