import { existsSync } from 'node:fs';
import type { DeletedAccount } from '../kernel/ports/sessions.ts';
import { systemClock } from '../lib/clock.ts';
import { openSqlite } from '../storage/sql/sqlite.ts';
import { querySqlite } from '../storage/sql/sqlite-backup.ts';

/** The accounts that were deleted in this database; undefined if it can't be read. */
export async function readDeletions(file: string): Promise<readonly DeletedAccount[] | undefined> {
  if (!existsSync(file)) return [];
  try {
    const [table] = await querySqlite(file, "select 1 from sqlite_master where name = 'deleted_accounts'");
    if (table === undefined) return [];
    const rows = await querySqlite(file, 'select account_id, deleted_at_ms from deleted_accounts');
    return rows.map((row) => {
      const { account_id, deleted_at_ms } = Object(row);
      return { accountId: String(account_id), deletedAtMs: Number(deleted_at_ms) };
    });
  } catch {
    return undefined;
  }
}

/** Deletes these accounts in another database; resolves to those that were there. The next start erases their data. */
export async function deleteAgain(
  file: string,
  deletions: readonly DeletedAccount[],
): Promise<readonly string[]> {
  if (deletions.length === 0) return [];
  const database = await openSqlite({ file });
  try {
    const found: string[] = [];
    for (const { accountId } of deletions) {
      const owner = await database.members.owner(accountId);
      if (owner === undefined) continue;
      const { id: identityId, passwordHash } = owner.identity;
      await database.accounts.erase(
        { accountId, identityId, passwordHash, isRepeated: true },
        systemClock.now(),
      );
      found.push(accountId);
    }
    await database.erasures.recordDeletions(deletions);
    return found;
  } finally {
    await database.close();
  }
}
