import { randomBytes, randomUUID } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { text } from 'node:stream/consumers';
import { isEmail } from '../accounts/email.ts';
import { createMailedLink } from '../accounts/mail/mailed-links.ts';
import { createPasswordHasher } from '../accounts/secret-hasher.ts';
import { normalizeEmail } from '../accounts/user-accounts.ts';
import { effectiveTier } from '../billing/tiers.ts';
import type { Settings } from '../gateway/settings.ts';
import { systemClock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { TierId, User } from '../kernel/ports/records.ts';
import type { CommandInput } from './command.ts';
import { findUser, formatTable, runWithDatabase } from './command-context.ts';

export function list({ environment, flags }: CommandInput): Promise<number> {
  return runWithDatabase(environment, async ({ database }) => {
    const rows = [['address', 'tier', 'since', 'confirmed', 'closed', 'id']];
    for (let after = '', page: readonly User[] = []; ; after = page.at(-1)?.email ?? '') {
      page = await database.users.page(after, limits.databaseRowsAtOnce);
      if (flags.json) for (const user of page) console.log(JSON.stringify(describeUser(user)));
      else rows.push(...page.map((user) => Object.values(describeUser(user)).map((value) => value ?? '-')));
      if (page.length < limits.databaseRowsAtOnce) break;
    }
    if (!flags.json) console.log(formatTable(rows));
  });
}

function describeUser(user: User) {
  const { id, email, createdAtMs, verifiedAtMs, disabledAtMs } = user;
  return {
    email,
    tier: effectiveTier(user, systemClock.now()),
    createdAt: timeOf(createdAtMs),
    verifiedAt: timeOf(verifiedAtMs),
    disabledAt: timeOf(disabledAtMs),
    id,
  };
}

export async function create({
  environment,
  positionals: [email = ''],
  flags,
}: CommandInput): Promise<number> {
  if (!isEmail(email.trim())) throw new Error(`${email} is no e-mail address`);
  const given = flags['password-stdin'] ? (await text(process.stdin)).replace(/\r?\n$/, '') : undefined;
  const password = given ?? randomBytes(18).toString('base64url');
  const { passwordCharactersMin: least, passwordCharactersMax: most } = limits;
  if ([...password].length < least || [...password].length > most)
    throw new Error(`a password has ${least} to ${most} characters`);
  return runWithDatabase(environment, async ({ database }) => {
    const user: User = {
      id: randomUUID(),
      tier: 'free',
      period: undefined,
      email: normalizeEmail(email),
      passwordHash: await createPasswordHasher().hash(password.normalize('NFC')),
      createdAtMs: systemClock.now(),
    };
    if (!(await database.users.add(user))) throw new Error(`there is an account of ${email}`);
    console.log(`${user.email} has an account, ${user.id}`);
    if (given === undefined) console.log(`its password, which is told this once: ${password}`);
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
  return runWithDatabase(environment, async ({ database, notifyGateway }) => {
    const user = await findUser(database, email);
    await database.users.setDisabled(user.id, closes ? systemClock.now() : null);
    const state = closes ? 'closed: its keys and sessions do not work' : 'open again: its keys work';
    console.log(`${user.email} is ${state} ${await notifyGateway(user.id)}`);
  });
}

export function setTier({ environment, positionals: [email = '', tier] }: CommandInput): Promise<number> {
  return runWithDatabase(environment, async ({ database, notifyGateway }) => {
    if (!isTier(tier)) throw new Error(`there is no tier "${tier}"`);
    const user = await findUser(database, email);
    const { subscriptionId } = await database.billing.get(user.id);
    await database.billing.setTier(user.id, tier);
    console.log(`${user.email} is on the tier "${tier}", ${await notifyGateway(user.id)}`);
    if (subscriptionId !== null)
      console.log(`it has the subscription ${subscriptionId}: the next news of that changes the tier again`);
  });
}

export function reset({ environment, positionals: [email = ''] }: CommandInput): Promise<number> {
  return runWithDatabase(environment, async ({ database, settings }) => {
    const user = await findUser(database, email);
    if (user.disabledAtMs !== undefined)
      throw new Error(`${user.email} is closed; weir users enable opens it`);
    const address = { url: settings.baseUrl ?? listeningAddress(settings) };
    const link = await createMailedLink(
      { tokens: database.mailedTokens, address, clock: systemClock },
      user.id,
      'reset',
    );
    console.log(`who opens this link within an hour sets a new password for ${user.email}, once:\n${link}`);
  });
}

function listeningAddress({ host, port }: Pick<Settings, 'host' | 'port'>): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`;
}

function isTier(name: string | undefined): name is TierId {
  return name === 'free' || name === 'pro' || name === 'team';
}

function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
