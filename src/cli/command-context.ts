import { isIPv6 } from 'node:net';
import { openAccountChangeNotifier } from '../gateway/account-change-notifier.ts';
import { openDatabase } from '../gateway/parts/stores.ts';
import type { Environment, Settings } from '../gateway/settings.ts';
import { limits as kernelLimits } from '../kernel/limits.ts';
import type { Member, OwnerPosition } from '../kernel/ports/identities.ts';
import type { Database } from '../kernel/ports/records.ts';
import { loadCommandSettings } from '../process/load-settings.ts';

/** What an operator command works with; a gateway may be running at the same time. */
export interface CommandContext {
  readonly settings: Settings;
  readonly database: Database;
  /** Notifies the running gateway of a changed account; resolves to a text that says when the change takes effect. */
  notifyGateway(accountId: string): Promise<string>;
}

/** Runs a command; resolves to the exit code. */
export async function runWithDatabase(
  environment: Environment,
  command: (commandContext: CommandContext) => Promise<void>,
): Promise<number> {
  const settings = await loadCommandSettings(environment);
  const database = await openDatabase(settings);
  try {
    await command({ settings, database, notifyGateway: (accountId) => notifyGateway(settings, accountId) });
    return 0;
  } finally {
    await database.close();
  }
}

async function notifyGateway(settings: Settings, accountId: string): Promise<string> {
  let effective = 'from the next request on';
  const versions = await openAccountChangeNotifier(settings, () => {
    effective = 'when the gateway is started: none is running on this data folder';
  });
  await versions.renew(accountId).finally(() => versions.close());
  return effective;
}

/** The person with this address in their first account, or the owner of the account with this id. */
export async function findMember({ identities, members }: Database, emailOrId: string): Promise<Member> {
  const name = emailOrId.trim();
  if (!name.includes('@')) {
    const owner = await members.owner(name);
    if (owner === undefined) throw new Error(`no account with the id ${name}`);
    return owner;
  }
  const identity = await identities.byEmail(name);
  const [member] = identity === undefined ? [] : await members.ofIdentity(identity.id);
  if (member === undefined) throw new Error(`no account with the email address ${name}`);
  return member;
}

/** The owners of all accounts, by address. */
export async function* ownersOf({ members }: Pick<Database, 'members'>): AsyncIterable<Member> {
  for (let after: OwnerPosition | undefined; ; ) {
    const page: readonly Member[] = await members.owners(after, kernelLimits.databaseRowsAtOnce);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < kernelLimits.databaseRowsAtOnce) return;
    after = { email: last.identity.email, accountId: last.account.id };
  }
}

/** The address for links. */
export function baseUrlOf({ baseUrl, host, port }: Settings): string {
  if (baseUrl !== undefined) return baseUrl;
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`;
}

/** Rows with aligned columns. */
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
