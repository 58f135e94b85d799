import type { CallRecordings } from '../calls/recordings/call-recordings.ts';
import type { AccountRows } from '../kernel/ports/account-rows.ts';
import type { Database } from '../kernel/ports/records.ts';
import { describeRecording } from '../server/api/routes/recording-schema.ts';

/** The export of an account: its rows, and its recordings, which are sealed in the database. */
export function exportedRows({ accountRows }: Database, recordings: CallRecordings): AccountRows {
  return {
    async *of(accountId) {
      yield* accountRows.of(accountId);
      for await (const { id, recordedCall } of recordings.all(accountId))
        yield { type: 'recording', id, ...describeRecording(recordedCall) };
    },
  };
}
