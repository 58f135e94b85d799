import { z } from 'zod';
import { isRequestId } from '../../../kernel/request-id.ts';
import { base64, type MovedColumn, optionalText, text, time } from './columns.ts';
import type { MovedTable, StoredRow } from './moved-table.ts';
import { columnsOfTable, plainTable } from './plain-table.ts';

const weight: MovedColumn = { type: 'bigint', schema: z.int().min(0).max(1000) };
const recordingBytesMax = 10 * 1024 * 1024;

/** Provider keys, unsealed: the file has them encrypted with a passphrase. */
function providerKeys(table: 'provider_keys' | 'further_provider_keys'): MovedTable {
  const columns = {
    ...{ provider: text(100), id: text(100), name: text(200), weight, hint: optionalText(20) },
    ...{ updated_at_ms: time, secret: text(16_384) },
  };
  return plainTable({
    ...{ table, key: ['provider', 'id'], columns },
    read: columnsOfTable([
      ...['account_id', 'provider', 'id', 'name', 'weight', 'hint', 'updated_at_ms', 'sealed_by', 'sealed'],
    ]),
    written: {
      ...{
        account_id: 'text',
        provider: 'text',
        id: 'text',
        name: 'text',
        weight: 'bigint',
        sealed_by: 'text',
      },
      ...{ sealed: 'bytes', hint: 'text', updated_at_ms: 'bigint' },
    },
    primaryKey: table === 'provider_keys' ? ['account_id', 'provider'] : ['account_id', 'provider', 'id'],
    isNeverReplaced: true,
    toMoved: (row, _, { sealings }) => {
      const content = contentOf(row);
      const opened = content && sealings.providerKeys.open(content, `${row.account_id}\n${row.provider}`);
      return (
        opened && {
          ...{ provider: String(row.provider), id: String(row.id), name: String(row.name) },
          ...{ weight: Number(row.weight), hint: row.hint === null ? null : String(row.hint) },
          ...{ updated_at_ms: Number(row.updated_at_ms), secret: opened.toString('utf8') },
        }
      );
    },
    toStored: ({ secret, ...row }, { owner: { accountId }, sealings }) => {
      const content = sealings.providerKeys.seal(
        Buffer.from(String(secret)),
        `${accountId}\n${row.provider}`,
      );
      return { account_id: accountId, ...row, sealed_by: content.sealedBy, sealed: content.sealed };
    },
    nameOf: ({ provider, id }) => `${provider} ${id}`,
  });
}

const recordings: MovedTable = plainTable({
  table: 'recordings',
  key: ['id'],
  columns: { id: text(40), content: base64(recordingBytesMax) },
  read: columnsOfTable(['account_id', 'id', 'sealed_by', 'sealed']),
  written: { id: 'text', account_id: 'text', bytes: 'bigint', sealed_by: 'text', sealed: 'bytes' },
  primaryKey: ['id'],
  isNeverReplaced: true,
  toMoved: (row, _, { sealings }) => {
    const content = contentOf(row);
    const opened = content && sealings.recordings.open(content, `recording\n${row.account_id}\n${row.id}`);
    return opened && { id: String(row.id), content: opened.toString('base64') };
  },
  faultOf: ({ id }, { recordingBytesMax: most }) =>
    most === 0
      ? 'recordings are off here'
      : isRequestId(String(id))
        ? undefined
        : 'its id is not one of a call',
  toStored: ({ id, content }, { owner: { accountId }, sealings }) => {
    const bytes = Buffer.from(String(content), 'base64');
    const { sealedBy, sealed } = sealings.recordings.seal(bytes, `recording\n${accountId}\n${id}`);
    return { id, account_id: accountId, bytes: sealed.byteLength, sealed_by: sealedBy, sealed };
  },
});

function contentOf({ sealed, sealed_by: sealedBy }: StoredRow) {
  return sealed instanceof Uint8Array && typeof sealedBy === 'string' ? { sealed, sealedBy } : undefined;
}

export const secretTables: readonly MovedTable[] = [
  ...[providerKeys('provider_keys'), providerKeys('further_provider_keys'), recordings],
];
