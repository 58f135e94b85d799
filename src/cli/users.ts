import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { isEmail } from '../accounts/email.ts';
import { limits as accountsLimits } from '../accounts/limits.ts';
import { createMailedLink } from '../accounts/mail/mailed-links.ts';
import { createPasswordHasher } from '../accounts/secret-hasher.ts';
import { newMember } from '../accounts/user-accounts.ts';
import { effectiveTier } from '../billing/tiers.ts';
import type { Member } from '../kernel/ports/identities.ts';
import type { TierId } from '../kernel/ports/records.ts';
import { systemClock } from '../lib/clock.ts';
import { changeWithAudit, recordAudit } from './audit.ts';
import type { CommandInput } from './command.ts';
import { baseUrlOf, findMember, formatTable, ownersOf, runWithDatabase } from './command-context.ts';

export function list({ environment, flags }: CommandInput): Promise<number> {
  return runWithDatabase(environment, async ({ database }) => {
    const rows = [['address', 'name', 'tier', 'since', 'verified', 'disabled', 'id']];
    for await (const member of ownersOf(database))
      if (flags.json) console.log(JSON.stringify(describeMember(member)));
      else rows.push(Object.values(describeMember(member)).map((value) => value ?? '-'));
    if (!flags.json) console.log(formatTable(rows));
  });
}

function describeMember({ identity, account }: Member) {
  const { email, createdAtMs, verifiedAtMs, disabledAtMs } = identity;
  return {
    email,
    name: account.name ?? null,
    tier: effectiveTier(account, systemClock.now()),
    createdAt: timeOf(createdAtMs),
    verifiedAt: timeOf(verifiedAtMs),
    disabledAt: timeOf(disabledAtMs),
    id: account.id,
  };
}

export async function create({
  environment,
  positionals: [email = ''],
  flags,
}: CommandInput): Promise<number> {
  if (!isEmail(email.trim())) throw new Error(`"${email}" is not an email address`);
  const chosen = flags['password-stdin'] ? (await text(process.stdin)).replace(/\r?\n$/, '') : undefined;
  const password = chosen ?? randomBytes(18).toString('base64url');
  const { passwordCharactersMin: least, passwordCharactersMax: most } = accountsLimits;
  if ([...password].length < least || [...password].length > most)
    throw new Error(`the password must have ${least} to ${most} characters`);
  return runWithDatabase(environment, async ({ database, settings }) => {
    const passwordHash = await createPasswordHasher().hash(password.normalize('NFC'));
    const member = newMember({ email, passwordHash, createdAtMs: systemClock.now() });
    const record = { event: 'account.created', account: member.account.id } as const;
    if (!(await changeWithAudit({ settings, database }, record, () => database.identities.add(member))))
      throw new Error(`an account with the email address ${email} exists already`);
    console.log(`created the account ${member.account.id} for ${member.identity.email}`);
    if (chosen === undefined) console.log(`its password, shown only once: ${password}`);
  });
}

export function disable(commandInput: CommandInput): Promise<number> {
  return setDisabled(commandInput, true);
}

export function enable(commandInput: CommandInput): Promise<number> {
  return setDisabled(commandInput, false);
}

function setDisabled(
  { environment, positionals: [email = ''] }: CommandInput,
  closes: boolean,
): Promise<number> {
  return runWithDatabase(environment, async ({ database, settings, notifyGateway }) => {
    const { identity, account } = await findMember(database, email);
    const event = closes ? 'account.disabled' : 'account.enabled';
    await changeWithAudit({ settings, database }, { event, account: account.id }, async () => {
      await database.identities.setDisabled(identity.id, closes ? systemClock.now() : null);
      return true;
    });
    const state = closes ? 'disabled: its keys and sessions do not work' : 'enabled: its keys work';
    console.log(`${identity.email} is ${state} ${await notifyGateway(account.id)}`);
  });
}

export function setTier({ environment, positionals: [email = '', tier] }: CommandInput): Promise<number> {
  return runWithDatabase(environment, async ({ database, settings, notifyGateway }) => {
    if (!isTier(tier)) throw new Error(`unknown tier "${tier}"`);
    const { identity, account } = await findMember(database, email);
    const { subscriptionId } = await database.billing.get(account.id);
    const record = { event: 'tier.changed', account: account.id, tier } as const;
    await changeWithAudit({ settings, database }, record, async () => {
      await database.billing.setTier(account.id, tier);
      return true;
    });
    console.log(`${identity.email} is on the tier "${tier}", ${await notifyGateway(account.id)}`);
    if (subscriptionId !== null)
      console.log(
        `it has the subscription ${subscriptionId}: its next event at the payment processor changes the tier again`,
      );
  });
}

export function reset({ environment, positionals: [email = ''] }: CommandInput): Promise<number> {
  return runWithDatabase(environment, async ({ database, settings }) => {
    const { identity, account } = await findMember(database, email);
    if (identity.disabledAtMs !== undefined)
      throw new Error(`${identity.email} is disabled; enable it with: weir users enable ${identity.email}`);
    const address = { url: baseUrlOf(settings) };
    const link = await createMailedLink(
      { tokens: database.mailedTokens, address, clock: systemClock },
      identity.id,
      'reset',
    );
    await recordAudit({ settings, database }, 'password.link_created', { account: account.id });
    console.log(
      `this link sets a new password for ${identity.email}; it is valid once, for an hour:\n${link}`,
    );
  });
}

export function turnSecondFactorOff({
  environment,
  positionals: [email = ''],
}: CommandInput): Promise<number> {
  return runWithDatabase(environment, async ({ database, settings }) => {
    const { identity, account } = await findMember(database, email);
    const record = { event: 'second_factor.off', account: account.id, user: String(identity.id) } as const;
    const clear = () => database.loginFactors.clearSecondFactor(identity.id);
    if (!(await changeWithAudit({ settings, database }, record, clear)))
      throw new Error(`${identity.email} has no second factor`);
    console.log(`${identity.email} logs in with the password alone`);
  });
}

function isTier(name: string | undefined): name is TierId {
  return name === 'free' || name === 'pro' || name === 'team';
}

function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
