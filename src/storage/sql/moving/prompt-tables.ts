import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { limits } from '../../limits.ts';
import { json, type MovedColumn, optionalText, text, time } from './columns.ts';
import type { MovedTable } from './moved-table.ts';
import { plainTable } from './plain-table.ts';

const name = text(limits.promptWordCharactersMax);
const version: MovedColumn = { type: 'bigint', schema: z.int().min(1).max(limits.promptVersionMax) };
const versionColumns = {
  ...{ name, version, content: json(limits.promptContentCharactersMax), note: optionalText() },
  created_at_ms: time,
};

/** Versions never change, so one that differs from the account's stays in the file. */
const versions: MovedTable = plainTable({
  table: 'prompt_versions',
  key: ['name', 'version'],
  columns: versionColumns,
  written: {
    ...{ account_id: 'text', name: 'text', version: 'bigint', id: 'text', content: 'text', note: 'text' },
    created_at_ms: 'bigint',
  },
  isNeverReplaced: true,
  faultOf: ({ name: prompt, content }, { faultOfPromptVersion }) =>
    faultOfPromptVersion(String(prompt), JSON.parse(String(content))),
  // Contents are cached by this id: a file must not name it.
  toStored: (row, { owner: { accountId } }) => ({ account_id: accountId, id: randomUUID(), ...row }),
});

const labels: MovedTable = plainTable({
  table: 'prompt_labels',
  key: ['name', 'label'],
  columns: { name, label: name, version, updated_at_ms: time },
  faultOf: (row, { faultOfPromptLabel }) => faultOfPromptLabel(String(row.label)),
});

export const promptTables: readonly MovedTable[] = [versions, labels];
