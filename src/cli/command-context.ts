import { openAccountChangeNotifier } from '../gateway/account-change-notifier.ts';
import { openDatabase } from '../gateway/parts/stores.ts';
import type { Environment, Settings } from '../gateway/settings.ts';
import type { Database, User } from '../kernel/ports/records.ts';
import { loadCommandSettings } from './load-settings.ts';

/** What an operator's command works with, beside a gateway that may be running. */
export interface CommandContext {
  readonly settings: Settings;
  readonly database: Database;
  /** Tells the gateway that an account has changed; resolves to when that holds, in words. */
  notifyGateway(accountId: string): Promise<string>;
}

/** Runs a command; resolves to the exit code. */
export async function runWithDatabase(
  environment: Environment,
  command: (commandContext: CommandContext) => Promise<void>,
): Promise<number> {
  const settings = loadCommandSettings(environment);
  const database = await openDatabase(settings);
  try {
    await command({ settings, database, notifyGateway: (accountId) => notifyGateway(settings, accountId) });
    return 0;
  } finally {
    await database.close();
  }
}

async function notifyGateway(settings: Settings, accountId: string): Promise<string> {
  let holds = 'from the next request on';
  const versions = await openAccountChangeNotifier(settings, () => {
    holds = 'when the gateway is started: none is running on this data folder';
  });
  await versions.renew(accountId).finally(() => versions.close());
  return holds;
}

export async function findUser(database: Database, email: string): Promise<User> {
  const user = await database.users.byEmail(email.trim());
  if (user === undefined) throw new Error(`there is no account of ${email}`);
  return user;
}

/** Rows with their columns one below the other. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
