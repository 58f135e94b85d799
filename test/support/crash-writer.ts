// Writes rows endlessly and reports each committed one to its parent. The crash tests kill it.
import { randomUUID } from 'node:crypto';
import type { Database } from '../../src/kernel/ports/records.ts';
import { openPostgres } from '../../src/storage/sql/postgres.ts';
import { openSqlite } from '../../src/storage/sql/sqlite.ts';
import { someDay, someKey, someMember } from '../conformance/database/samples.ts';

/** Returns the id of a committed row. */
export interface CommittedRow {
  readonly table: 'users' | 'api_keys' | 'usage_batches';
  readonly id: string;
}

const writersAtOnce = 8;
const [, , place = ''] = process.argv;
const database = await (place.startsWith('postgres:')
  ? openPostgres({ url: place })
  : openSqlite({ file: place }));
await Promise.all(Array.from({ length: writersAtOnce }, () => writeForever(database)));

async function writeForever({ identities, apiKeys, usage }: Database): Promise<never> {
  for (;;) {
    const member = someMember();
    await identities.add(member);
    reportCommitted({ table: 'users', id: member.account.id });
    const key = someKey(member.account.id);
    await apiKeys.add(key, 1);
    reportCommitted({ table: 'api_keys', id: key.id });
    const counted = [{ accountId: 'local', periodStartMs: 0, calls: 1 }];
    const batch = { id: randomUUID(), atMs: Date.now(), days: [someDay()], counted };
    await usage.add(batch);
    reportCommitted({ table: 'usage_batches', id: batch.id });
  }
}

function reportCommitted(committedRow: CommittedRow): void {
  process.send?.(committedRow);
}
