import { createInterface } from 'node:readline/promises';
import { deleteAccount } from '../accounts/account-deletion.ts';
import { stopCharging } from '../billing/stop-charging.ts';
import { openAccountChangeNotifier } from '../gateway/account-change-notifier.ts';
import type { Settings } from '../gateway/settings.ts';
import type { AccountErasure, Member } from '../kernel/ports/identities.ts';
import type { Database } from '../kernel/ports/records.ts';
import { systemClock } from '../lib/clock.ts';
import { changeWithAudit } from './audit.ts';
import type { CommandInput } from './command.ts';
import { findMember, runWithDatabase } from './command-context.ts';
import { openProcessor } from './stripe-processor.ts';

/** Deletes an account as its owner would, without the password. */
export function deleteUser({ environment, positionals: [name = ''], flags }: CommandInput): Promise<number> {
  return runWithDatabase(environment, async ({ database, settings }) => {
    const member = await findMember(database, name);
    const { email } = member.identity;
    if (!flags.yes) await confirmDeletion(email);
    const isNoticed = await deleteMember(database, settings, member);
    console.log(
      `deleted the account ${member.account.id} of ${email}: its keys and sessions do not work any more`,
    );
    console.log(
      isNoticed
        ? 'the running gateway erases its data within a minute'
        : 'its data is erased when the gateway is started: none is running on this data folder',
    );
  });
}

/** Resolves to whether a running gateway has noticed. */
export async function deleteMember(
  database: Database,
  settings: Settings,
  { identity, account }: Member,
  isRepeated?: true,
): Promise<boolean> {
  let isNoticed = true;
  const versions = await openAccountChangeNotifier(settings, () => {
    isNoticed = false;
  });
  const stripe = openProcessor(settings);
  try {
    const { billing, accounts } = database;
    const backend = stripe && { processor: stripe.processor, onFault: () => undefined };
    const beforeDelete = (accountId: string) => stopCharging({ billing, backend }, accountId);
    const owner = { accountId: account.id, identityId: identity.id, passwordHash: identity.passwordHash };
    const parts = { accounts, versions, clock: systemClock, beforeDelete };
    let outcome: AccountErasure = 'changed';
    const record = { event: 'account.deleted', account: account.id } as const;
    await changeWithAudit({ settings, database }, record, async () => {
      outcome = await deleteAccount(parts, { ...owner, ...(isRepeated && { isRepeated }) });
      return outcome === 'erased';
    });
    if (outcome === 'changed') throw new Error('the account has changed meanwhile; run the command again');
    if (outcome === 'held')
      throw new Error(
        `a legal hold stands on the account of ${identity.email}: GET /v1/operator/holds has the reason`,
      );
    if (outcome === 'last_owner')
      throw new Error(
        `${identity.email} is the only owner of other accounts, or their own account has other members: weir users list shows them`,
      );
  } finally {
    await versions.close();
    await stripe?.close();
  }
  return isNoticed;
}

async function confirmDeletion(email: string): Promise<void> {
  if (!process.stdin.isTTY) throw new Error(`--yes deletes ${email} without a question`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const typed = await terminal.question(
      `This deletes the account of ${email} with its keys, usage and all other data.\nType the address to confirm: `,
    );
    if (typed.trim().toLowerCase() !== email.toLowerCase()) throw new Error('nothing was deleted');
  } finally {
    terminal.close();
  }
}
