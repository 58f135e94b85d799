import { describeUsage } from '../billing/usage-report.ts';
import { formatUsd } from '../kernel/money.ts';
import type { AccountUsage, Database, UsageSums, UsageSumsQuery } from '../kernel/ports/records.ts';
import { systemClock } from '../lib/clock.ts';
import type { CommandInput } from './command.ts';
import { findMember, formatTable, ownersOf, runWithDatabase } from './command-context.ts';

const sortings = {
  cost: ({ costNanoUsd }: UsageSums) => costNanoUsd,
  calls: ({ requests }: UsageSums) => requests,
  tokens: (sums: UsageSums) =>
    sums.inputTokens + sums.outputTokens + sums.cacheReadTokens + sums.cacheWriteTokens,
} as const;

interface UsageRow extends AccountUsage {
  /** The owner's address; undefined for calls without an account. */
  readonly email: string | undefined;
}

/** Prints usage and cost of one account or of all, with a total. */
export function userUsage({ environment, positionals: [name], flags }: CommandInput): Promise<number> {
  return runWithDatabase(environment, async ({ database }) => {
    const today = new Date(systemClock.now()).toISOString().slice(0, 10);
    const member = name === undefined ? undefined : await findMember(database, name);
    const sums = await database.usage.sums({
      accountId: member?.account.id,
      from: dayFlag(flags.from) ?? `${today.slice(0, 7)}-01`,
      to: dayFlag(flags.to) ?? today,
      per: periodFlag(flags.per),
    });
    const emails = member
      ? new Map([[member.account.id, member.identity.email]])
      : await readEmails(database);
    const weight = sortings[sortingFlag(flags.sort)];
    const rows = sums
      .map((row) => ({ ...row, email: emails.get(row.accountId) }))
      .sort((one, other) => one.period.localeCompare(other.period) || weight(other) - weight(one));
    console.log(flags.json ? rows.map(jsonLine).join('\n') : formatUsage(rows));
  });
}

async function readEmails(database: Database): Promise<ReadonlyMap<string, string>> {
  const emails = new Map<string, string>();
  for await (const { identity, account } of ownersOf(database))
    emails.set(account.id, account.name ?? identity.email);
  return emails;
}

function formatUsage(rows: readonly UsageRow[]): string {
  const hasPeriods = rows.some(({ period }) => period !== '');
  const line = (email: string, period: string, figures: readonly string[]) =>
    hasPeriods ? [period, email, ...figures] : [email, ...figures];
  const headings = ['calls', 'failed', 'input', 'output', 'cache read', 'cache write', 'USD'];
  return formatTable([
    line('address', 'period', headings),
    ...rows.map((row) => line(row.email ?? '-', row.period, figuresOf(row))),
    line('total', '', figuresOf(totalOf(rows))),
  ]);
}

function figuresOf(sums: UsageSums): readonly string[] {
  const { requests, failed, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = sums;
  return [
    ...[requests, failed, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens].map(String),
    formatUsd(sums.costNanoUsd),
  ];
}

function totalOf(rows: readonly UsageSums[]): UsageSums {
  const sum = (field: keyof UsageSums) => rows.reduce((total, row) => total + row[field], 0);
  return {
    requests: sum('requests'),
    failed: sum('failed'),
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    cacheReadTokens: sum('cacheReadTokens'),
    cacheWriteTokens: sum('cacheWriteTokens'),
    costNanoUsd: sum('costNanoUsd'),
  };
}

/** Field names as in `GET /v1/usage`. */
function jsonLine(row: UsageRow): string {
  return JSON.stringify({
    ...(row.period !== '' && { period: row.period }),
    account_id: row.accountId,
    email: row.email ?? null,
    ...describeUsage(row),
  });
}

function dayFlag(value: string | true | undefined): string | undefined {
  if (value === undefined) return undefined;
  const isDay = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value);
  if (!isDay || Number.isNaN(Date.parse(value)))
    throw new Error(`"${value}" is not a day such as 2026-11-17`);
  return value;
}

function periodFlag(value: string | true | undefined): UsageSumsQuery['per'] {
  if (value === undefined) return 'range';
  if (value === 'day' || value === 'month') return value;
  throw new Error('--per takes day or month');
}

function sortingFlag(value: string | true = 'cost'): keyof typeof sortings {
  if (value === 'cost' || value === 'calls' || value === 'tokens') return value;
  throw new Error('--sort takes cost, calls or tokens');
}
