import { randomBytes, randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { isEmail } from '../accounts/email.ts';
import { passwordHashing } from '../accounts/hashing.ts';
import { mailedLink } from '../accounts/mail/mailed-links.ts';
import { normal } from '../accounts/users.ts';
import { effectiveTier } from '../billing/tiers.ts';
import type { Environment } from '../gateway/settings.ts';
import { systemClock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { TierId, User } from '../kernel/ports/records.ts';
import { type Beside, beside, table, userOf } from './beside.ts';

type Command = (beside: Beside, args: readonly string[]) => Promise<void>;

interface Described {
  readonly usage: string;
  readonly run: Command;
}

const commands: Readonly<Record<string, Described>> = {
  list: { usage: 'weir users list [--json]', run: list },
  create: { usage: 'weir users create <email> [--password-stdin]', run: create },
  disable: { usage: 'weir users disable <email>', run: (besides, args) => close(besides, args, true) },
  enable: { usage: 'weir users enable <email>', run: (besides, args) => close(besides, args, false) },
  'set-tier': { usage: 'weir users set-tier <email> free|pro|team', run: setTier },
  reset: { usage: 'weir users reset <email>', run: reset },
};

/** What an operator does to accounts, while the gateway runs or not; resolves to the exit code. */
export async function users(args: readonly string[], environment: Environment): Promise<number> {
  const [name = '', ...rest] = args;
  const command = commands[name];
  if (command === undefined) {
    console.error(
      `weir: ${Object.values(commands)
        .map(({ usage }) => usage)
        .join('\n      ')}`,
    );
    return 1;
  }
  return beside(environment, (besides) => command.run(besides, rest));
}

async function list({ database }: Beside, args: readonly string[]): Promise<void> {
  const [format, ...more] = args;
  if ((format !== undefined && format !== '--json') || more.length > 0) throw wrong('list');
  const rows = [['address', 'tier', 'since', 'confirmed', 'closed', 'id']];
  for (let after = '', page: readonly User[] = []; ; after = page.at(-1)?.email ?? '') {
    page = await database.users.page(after, limits.databaseRowsAtOnce);
    if (format === '--json') for (const user of page) console.log(JSON.stringify(described(user)));
    rows.push(...page.map((user) => Object.values(described(user)).map((value) => value ?? '-')));
    if (page.length < limits.databaseRowsAtOnce) break;
  }
  if (format === undefined) console.log(table(rows));
}

function described(user: User) {
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

async function create({ database }: Beside, args: readonly string[]): Promise<void> {
  const [email = '', from, ...more] = args;
  if (!isEmail(email.trim()) || (from !== undefined && from !== '--password-stdin') || more.length > 0)
    throw wrong('create');
  const given = from === undefined ? undefined : (await text(process.stdin)).replace(/\r?\n$/, '');
  const password = given ?? randomBytes(18).toString('base64url');
  const { passwordCharactersMin: least, passwordCharactersMax: most } = limits;
  if ([...password].length < least || [...password].length > most)
    throw new Error(`a password has ${least} to ${most} characters`);
  const user: User = {
    id: randomUUID(),
    tier: 'free',
    period: undefined,
    email: normal(email),
    passwordHash: await passwordHashing().hash(password.normalize('NFC')),
    createdAtMs: systemClock.now(),
  };
  if (!(await database.users.add(user))) throw new Error(`there is an account of ${email}`);
  console.log(`${user.email} has an account, ${user.id}`);
  if (given === undefined) console.log(`its password, which is told this once: ${password}`);
}

async function close({ database, tell }: Beside, args: readonly string[], closes: boolean): Promise<void> {
  const [email, ...more] = args;
  if (email === undefined || more.length > 0) throw wrong(closes ? 'disable' : 'enable');
  const user = await userOf(database, email);
  await database.users.setDisabled(user.id, closes ? systemClock.now() : null);
  const state = closes ? 'closed: its keys and sessions do not work' : 'open again: its keys work';
  console.log(`${user.email} is ${state} ${await tell(user.id)}`);
}

async function setTier({ database, tell }: Beside, args: readonly string[]): Promise<void> {
  const [email, tier, ...more] = args;
  if (email === undefined || !isTier(tier) || more.length > 0) throw wrong('set-tier');
  const user = await userOf(database, email);
  const { subscriptionId } = await database.billing.get(user.id);
  await database.billing.setTier(user.id, tier);
  console.log(`${user.email} is on the tier "${tier}", ${await tell(user.id)}`);
  if (subscriptionId !== null)
    console.log(`it has the subscription ${subscriptionId}: the next news of that changes the tier again`);
}

async function reset({ database, settings }: Beside, args: readonly string[]): Promise<void> {
  const [email, ...more] = args;
  if (email === undefined || more.length > 0) throw wrong('reset');
  const user = await userOf(database, email);
  if (user.disabledAtMs !== undefined) throw new Error(`${user.email} is closed; weir users enable opens it`);
  const address = { url: settings.baseUrl ?? `http://localhost:${settings.port}` };
  const link = await mailedLink(
    { tokens: database.mailedTokens, address, clock: systemClock },
    user.id,
    'reset',
  );
  console.log(`who opens this link within an hour sets a new password for ${user.email}, once:\n${link}`);
}

function isTier(name: string | undefined): name is TierId {
  return name === 'free' || name === 'pro' || name === 'team';
}

function wrong(command: string): Error {
  return new Error(commands[command]?.usage);
}

function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
