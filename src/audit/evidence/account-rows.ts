import type { Account, Database } from '../../kernel/ports/records.ts';
import { formatBudgetPeriod } from '../../kernel/ports/stored-budgets.ts';
import { canonicalJson } from '../canonical-json.ts';
import { hashOf } from '../hash-of.ts';
import { type AccessTables, accessRows } from './access-rows.ts';
import { type EvidenceRow, timeOf } from './rows.ts';

export interface AccountEvidenceTables
  extends AccessTables,
    Pick<
      Database,
      'configurations' | 'providerKeys' | 'budgets' | 'dataRetentions' | 'logRetentions' | 'legalHolds'
    > {}

/** How long the instance keeps each kind of data; undefined for ever. */
export type RetentionBounds = Readonly<
  Record<string, { readonly leastDays: number; readonly mostDays: number | undefined }>
>;

/** What an account has set up, who can reach it, and what is kept. */
export async function* accountRows(
  tables: AccountEvidenceTables,
  { id: account, name, tier, deletesAtMs }: Account,
  bounds: RetentionBounds,
): AsyncIterable<EvidenceRow> {
  yield ['accounts', { id: account, name: name ?? null, tier, deletes_at: timeOf(deletesAtMs) }];
  yield* settingRows(tables, account);
  yield* accessRows(tables, account);
  for (const budget of await tables.budgets.list(account)) {
    const { id, scope, period, limitNanoUsd, mode, thresholds, createdAtMs, updatedAtMs } = budget;
    const times = { created_at: timeOf(createdAtMs), updated_at: timeOf(updatedAtMs) };
    const limit = { period: formatBudgetPeriod(period), limit_usd: limitNanoUsd / 1e9, mode, thresholds };
    yield ['budgets', { account, id, name: budget.name, scope, ...limit, ...times }];
  }
  yield* retentionRows(tables, account, bounds);
  for (const { side, reason, placedAtMs } of await tables.legalHolds.of(account))
    yield ['legal_holds', { account, side, reason, placed_at: timeOf(placedAtMs) }];
}

/** Contents may have secrets in them: digests show whether they are the same. */
async function* settingRows(
  { configurations, providerKeys }: AccountEvidenceTables,
  account: string,
): AsyncIterable<EvidenceRow> {
  for (const { module, name, content, updatedAtMs } of await configurations.list(account)) {
    const sha256 = hashOf(canonicalJson(content));
    const fields = { account, kind: 'configuration', module, name, sha256 };
    yield ['settings', { ...fields, updated_at: timeOf(updatedAtMs) }];
  }
  for (const { provider } of await providerKeys.list(account))
    for (const { id, name, updatedAtMs } of await providerKeys.ofProvider(account, provider)) {
      const fields = { account, kind: 'provider_key', provider, id, name };
      yield ['settings', { ...fields, updated_at: timeOf(updatedAtMs) }];
    }
}

async function* retentionRows(
  { dataRetentions, logRetentions }: AccountEvidenceTables,
  account: string,
  bounds: RetentionBounds,
): AsyncIterable<EvidenceRow> {
  const own = new Map<string, number>(
    (await dataRetentions.of(account)).map(({ kind, days }) => [kind, days]),
  );
  const requests = await logRetentions.find(account);
  if (requests !== undefined) own.set('requests', requests);
  for (const [kind, { leastDays, mostDays }] of Object.entries(bounds)) {
    const days = { own_days: own.get(kind) ?? null, min_days: leastDays, instance_days: mostDays ?? null };
    yield ['retention', { account, kind, ...days }];
  }
}
