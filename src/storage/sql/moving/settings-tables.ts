import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { z } from 'zod';
import { limits as kernelLimits } from '../../../kernel/limits.ts';
import { recordingModes } from '../../../kernel/ports/recordings.ts';
import { budgetModes, budgetScopes, parseBudgetPeriod } from '../../../kernel/ports/stored-budgets.ts';
import { limits } from '../../limits.ts';
import { flag, json, type MovedColumn, optionalText, optionalTime, text, time } from './columns.ts';
import type { MovedTable } from './moved-table.ts';
import { columnsOfTable, pick, plainTable, typesOf } from './plain-table.ts';

const days: MovedColumn = { type: 'bigint', schema: z.int().min(1).max(3650) };
const rate: MovedColumn = { type: 'bigint', schema: z.int().min(1).max(1e9).nullable() };
/** Files of earlier versions have none. */
const project: MovedColumn = { type: 'text', schema: z.string().max(100).nullable().default(null) };
const identifier: MovedColumn = { type: 'text', schema: z.uuid() };
const amount: MovedColumn = { type: 'bigint', schema: z.int().min(1).max(kernelLimits.budgetNanoUsdMax) };
const budgetPeriod: MovedColumn = {
  type: 'text',
  schema: z.string().refine((period) => parseBudgetPeriod(period) !== undefined, 'must be a period'),
};
const thresholds: MovedColumn = {
  type: 'text',
  schema: z.string().max(200).refine(isListOfPercentages, 'must be a list of percentages'),
};

function oneOf(names: readonly string[]): MovedColumn {
  return { type: 'text', schema: z.enum(names) };
}

const record: MovedColumn = { type: 'text', schema: z.enum(recordingModes).nullable() };

const logRetentions: MovedTable = {
  ...plainTable({ table: 'log_retentions', key: [], columns: { days } }),
  order: ['account_id'],
  read: columnsOfTable(['account_id', 'days']),
  toMoved: (row) => pick(row, ['days']),
  nameOf: () => 'how long calls are kept',
};

const configurations: MovedTable = plainTable({
  table: 'configurations',
  key: ['module', 'name'],
  columns: { module: text(200), name: text(200), content: json(256 * 1024), updated_at_ms: time },
  written: {
    ...{ account_id: 'text', module: 'text', name: 'text', content: 'text', version: 'text' },
    updated_at_ms: 'bigint',
  },
  toStored: (row, { owner: { accountId } }) => ({ account_id: accountId, version: randomUUID(), ...row }),
});

const accessList: MovedColumn = {
  type: 'text',
  schema: z
    .string()
    .max(limits.accessListJsonCharactersMax)
    .refine(isListOfTexts, 'must be a list of texts')
    .nullable(),
};
const accessLists = {
  access_models: accessList,
  access_providers: accessList,
  access_tools: accessList,
  access_pipelines: accessList,
  access_addresses: accessList,
} as const;

function isListOfPercentages(text: string): boolean {
  try {
    return z.array(z.int().min(1).max(100)).max(kernelLimits.budgetThresholdsMax).safeParse(JSON.parse(text))
      .success;
  } catch {
    return false;
  }
}

function isListOfTexts(text: string): boolean {
  try {
    return z.array(z.string()).safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

/** Without what a call would have to show, so they arrive revoked: their names are in the log, and their limits and access rules can be read. */
const apiKeys: MovedTable = plainTable({
  table: 'api_keys',
  key: ['id'],
  columns: {
    ...{ id: text(100), prefix: text(50), name: text(200), pipeline_config: optionalText(16_384) },
    ...{ receipts: flag, record, requests_per_minute: rate, tokens_per_minute: rate, concurrent: rate },
    project_id: project,
    ...{ owner: optionalText(200), ...accessLists, expires_at_ms: optionalTime, end_user: optionalText(500) },
    created_at_ms: time,
  },
  written: {
    ...{
      id: 'text',
      account_id: 'text',
      prefix: 'text',
      hash: 'text',
      name: 'text',
      pipeline_config: 'text',
    },
    ...{ created_at_ms: 'bigint', last_used_at_ms: 'bigint', revoked_at_ms: 'bigint', receipts: 'bigint' },
    ...{ record: 'text', requests_per_minute: 'bigint', tokens_per_minute: 'bigint', concurrent: 'bigint' },
    ...{
      project_id: 'text',
      owner: 'text',
      ...typesOf(accessLists),
      expires_at_ms: 'bigint',
      end_user: 'text',
    },
  },
  primaryKey: ['id'],
  isNeverReplaced: true,
  leftBecause: ({ isLocal }) => (isLocal ? 'a local gateway has no API keys' : undefined),
  toStored: (row, { owner: { accountId }, nowMs }) => ({
    ...row,
    ...{ account_id: accountId, hash: 'moved', last_used_at_ms: null, revoked_at_ms: nowMs },
  }),
  nameOf: ({ id, name }) => (name === '' ? String(id) : `${id} (${name})`),
});

const projects: MovedTable = plainTable({
  table: 'projects',
  key: ['id'],
  columns: { id: text(100), name: text(200), created_at_ms: time, archived_at_ms: optionalTime },
  primaryKey: ['id'],
  isNeverReplaced: true,
  leftBecause: ({ isLocal }) => (isLocal ? 'a local gateway has no projects' : undefined),
  nameOf: ({ name }) => String(name),
});

const webhooks: MovedTable = plainTable({
  table: 'webhooks',
  key: ['id'],
  columns: {
    ...{ id: text(100), channel: text(50), events: json(10_000), created_at_ms: time },
    disabled_at_ms: optionalTime,
  },
  leftBecause: () => 'addresses and secrets of webhooks are not in files: add the webhook again',
});

/** Their limits hold for the account that they come into, whose usage they count. */
const budgets: MovedTable = plainTable({
  table: 'budgets',
  key: ['id'],
  columns: {
    ...{ id: identifier, name: text(kernelLimits.budgetNameCharactersMax), scope: oneOf(budgetScopes) },
    ...{ subject: optionalText(200), value: optionalText(200), period: budgetPeriod },
    ...{ limit_nano_usd: amount, mode: oneOf(budgetModes), thresholds, created_at_ms: time },
    updated_at_ms: time,
  },
  leftBecause: ({ isLocal }) => (isLocal ? 'a local gateway has no budgets' : undefined),
  faultOf: ({ scope, subject, value }) =>
    scope === 'end_user' && subject !== null
      ? 'end users have other pseudonyms in another account: create it again'
      : faultOfSubject(scope, subject, value),
  nameOf: ({ id, name }) => `${id} (${name})`,
});

/** The reason why a scope can't have this subject and value. */
function faultOfSubject(scope: unknown, subject: unknown, value: unknown): string | undefined {
  const needsSubject = scope === 'project' || scope === 'key' || scope === 'tag';
  if (needsSubject !== (typeof subject === 'string' && subject !== '')) return 'it has no valid scope';
  return value !== null && (scope !== 'tag' || value === '') ? 'it has no valid value' : undefined;
}

const receiptsStay = () =>
  'a receipt is a statement of the gateway that signed it: keep the file, and verify them with its keys';

const receiptKeys: MovedTable = {
  ...plainTable({ table: 'receipt_keys', key: ['key_id'], columns: { key_id: text(200), jwk: json(4096) } }),
  leftBecause: receiptsStay,
};

const receipts: MovedTable = plainTable({
  table: 'receipts',
  key: ['receipt_id'],
  columns: { receipt_id: text(200), visibility: text(50), created_at_ms: time, jws: text(64 * 1024) },
  from: sql`(select receipts.*, receipt_owners.account_id from receipt_owners
    inner join receipts using (receipt_id)) as t`,
  leftBecause: receiptsStay,
});

export const settingsTables: readonly MovedTable[] = [
  ...[logRetentions, configurations, projects, apiKeys, budgets, webhooks, receiptKeys, receipts],
];
