import { readFileSync } from 'node:fs';
import { isJsonObject } from '../lib/json.ts';
import type { CommandInput } from './command.ts';
import { formatTable, runWithDatabase } from './command-context.ts';
import { deleteMember } from './delete-user.ts';

/** Prints the ids of all deleted accounts: nothing else of them is left. */
export function listDeleted({ environment, flags }: CommandInput): Promise<number> {
  return runWithDatabase(environment, async ({ database }) => {
    const rows = (await database.erasures.deletions()).map(({ accountId, deletedAtMs }) => ({
      id: accountId,
      deletedAt: new Date(deletedAtMs).toISOString(),
    }));
    if (flags.json) for (const row of rows) console.log(JSON.stringify(row));
    else console.log(formatTable([['id', 'deleted'], ...rows.map(({ id, deletedAt }) => [id, deletedAt])]));
  });
}

/** Deletes the accounts of such a list that a restore has brought back. */
export function deleteListed({ environment, positionals: [file = ''] }: CommandInput): Promise<number> {
  const deletions = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, at) => parseDeletion(line, `${file}:${at + 1}`));
  return runWithDatabase(environment, async ({ database, settings }) => {
    let deleted = 0;
    for (const { accountId } of deletions) {
      const owner = await database.members.owner(accountId);
      if (owner === undefined) continue;
      await deleteMember(database, settings, owner, true);
      console.log(`deleted the account ${accountId} again`);
      deleted++;
    }
    await database.erasures.recordDeletions(deletions);
    console.log(`${deleted} of ${deletions.length} accounts were there; the gateway erases their data`);
  });
}

function parseDeletion(
  line: string,
  place: string,
): { readonly accountId: string; readonly deletedAtMs: number } {
  const parsed: unknown = JSON.parse(line);
  const deletedAtMs = isJsonObject(parsed) ? Date.parse(String(parsed.deletedAt)) : Number.NaN;
  if (!isJsonObject(parsed) || typeof parsed.id !== 'string' || Number.isNaN(deletedAtMs))
    throw new Error(`${place} is not a line of weir users deleted --json`);
  return { accountId: parsed.id, deletedAtMs };
}
