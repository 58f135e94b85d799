import type { ClientRequest } from '../../kernel/client-request.ts';
import type { RecordingMode } from '../../kernel/ports/recordings.ts';
import { isIdInShare } from '../../kernel/request-id.ts';
import type { CallerIdentity } from '../caller-authenticator.ts';

export interface RecordingPolicy {
  /** For calls without a key, and keys without a mode of their own; undefined if the environment sets none. */
  readonly mode: RecordingMode | undefined;
  /** The share of calls that `sample` records. */
  readonly sampleRate: number;
  /** 0 records nothing, whatever keys say. */
  readonly retentionMs: number;
}

type RecordingCaller = Pick<CallerIdentity, 'caller' | 'key'>;

/** Whether to record a call. Calls that the operator pays for are never recorded. */
export function isRecorded(
  { mode, sampleRate, retentionMs }: RecordingPolicy,
  { caller, key }: RecordingCaller,
  call: { readonly id: string; readonly clientRequest: Pick<ClientRequest, 'header'> },
): boolean {
  const ownMode = key?.record ?? mode ?? 'off';
  if (ownMode === 'off' || retentionMs === 0) return false;
  if (caller.kind !== 'local' && caller.kind !== 'account') return false;
  const wish = call.clientRequest.header('x-weir-record');
  // A misspelt wish must not record what its client wants to keep to itself.
  if (wish !== undefined) return wish === 'on';
  return ownMode === 'all' || isIdInShare(call.id, sampleRate);
}
