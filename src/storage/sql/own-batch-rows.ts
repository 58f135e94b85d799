import type { Selectable } from 'kysely';
import type { CallFile, OwnBatch, OwnBatchState } from '../../kernel/ports/own-batches.ts';
import type { Tables } from './tables.ts';

/** The states of batches that go on. */
export const openStates: readonly OwnBatchState[] = ['in_progress', 'cancelling'];

const states: readonly OwnBatchState[] = [...openStates, 'completed', 'expired', 'cancelled'];

export function toBatch(row: Selectable<Tables['own_batches']>): OwnBatch {
  return {
    id: row.id,
    accountId: row.account_id,
    fileId: row.file_id,
    state: states.find((state) => state === row.state) ?? 'cancelling',
    sealedBy: row.sealed_by,
    sealed: row.sealed,
    calls: row.calls,
    completed: row.completed,
    failed: row.failed,
    costNanoUsd: row.cost_nano_usd,
    madeAtMs: row.made_at_ms,
    expiresAtMs: row.expires_at_ms,
    endedAtMs: row.ended_at_ms,
  };
}

export function toBatchRow(batch: OwnBatch): Tables['own_batches'] {
  return {
    id: batch.id,
    account_id: batch.accountId,
    file_id: batch.fileId,
    state: batch.state,
    sealed_by: batch.sealedBy,
    sealed: batch.sealed,
    calls: batch.calls,
    completed: batch.completed,
    failed: batch.failed,
    cost_nano_usd: batch.costNanoUsd,
    result_bytes: 0,
    made_at_ms: batch.madeAtMs,
    expires_at_ms: batch.expiresAtMs,
    ended_at_ms: batch.endedAtMs,
    holder: '',
    lease_until_ms: 0,
  };
}

export function toFile(row: Selectable<Tables['call_files']>): CallFile {
  const models: unknown = JSON.parse(row.models);
  return {
    id: row.id,
    accountId: row.account_id,
    callPath: row.call_path,
    models: Array.isArray(models) ? models.filter((model) => typeof model === 'string') : [],
    calls: row.calls,
    bytes: row.bytes,
    madeAtMs: row.made_at_ms,
    expiresAtMs: row.expires_at_ms,
  };
}

export function toFileRow(file: CallFile): Tables['call_files'] {
  return {
    id: file.id,
    account_id: file.accountId,
    call_path: file.callPath,
    models: JSON.stringify(file.models),
    calls: file.calls,
    bytes: file.bytes,
    made_at_ms: file.madeAtMs,
    expires_at_ms: file.expiresAtMs,
  };
}
