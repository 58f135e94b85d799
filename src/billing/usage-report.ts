import { formatUsd } from '../kernel/money.ts';
import type { ModuleDay, UsageDay, UsageSums } from '../kernel/ports/records.ts';
import type { JsonObject } from '../lib/json.ts';
import { modulesReport } from './module-report.ts';
import type { QuotaStatus } from './quota.ts';

/** UTC days, inclusive. */
interface DayRange {
  readonly from: string;
  readonly to: string;
}

/** The same usage in two groupings; in each, labels of the other mean nothing. */
interface UsageRows {
  /** By day and model. */
  readonly models: readonly UsageDay[];
  readonly keys: readonly UsageDay[];
  readonly modules: readonly ModuleDay[];
}

const dayMs = 86_400_000;

/** The response of `GET /v1/usage`: every requested day, including those without a call. */
export function buildUsageReport(
  dayRange: DayRange,
  { models: modelDays, keys: keySums, modules: worked }: UsageRows,
  quotaStatus?: QuotaStatus,
): JsonObject {
  const [total, models, keys] = [new UsageTotals(), new UsageTotalsByName(), new UsageTotalsByName()];
  const daily = new Map<string, { readonly sums: UsageTotals; readonly models: UsageTotalsByName }>();
  for (const day of daysBetween(dayRange))
    daily.set(day, { sums: new UsageTotals(), models: new UsageTotalsByName() });
  for (const row of keySums) keys.add(row.keyId, row);
  for (const row of modelDays) {
    const model = `${row.provider}\n${row.model}`;
    total.add(row);
    models.add(model, row);
    daily.get(row.day)?.sums.add(row);
    daily.get(row.day)?.models.add(model, row);
  }
  const workedOn = Object.groupBy(worked, ({ day }) => day);
  return {
    ...dayRange,
    total: total.figures(),
    days: [...daily].map(([day, of]) => ({
      day,
      ...of.sums.figures(),
      models: of.models.list(modelLabel),
      modules: modulesReport(workedOn[day] ?? []),
    })),
    models: models.list(modelLabel),
    modules: modulesReport(worked),
    keys: keys.list(({ keyId }) => ({ key_id: keyId === '' ? null : keyId })),
    ...(quotaStatus !== undefined && { quota: quotaReport(quotaStatus) }),
  };
}

const modelLabel = ({ provider, model }: UsageDay): JsonObject => ({ provider, model });

class UsageTotals implements UsageSums {
  requests = 0;
  failed = 0;
  inputTokens = 0;
  outputTokens = 0;
  cacheReadTokens = 0;
  cacheWriteTokens = 0;
  costNanoUsd = 0;

  add(row: UsageSums): void {
    this.requests += row.requests;
    this.failed += row.failed;
    this.inputTokens += row.inputTokens;
    this.outputTokens += row.outputTokens;
    this.cacheReadTokens += row.cacheReadTokens;
    this.cacheWriteTokens += row.cacheWriteTokens;
    this.costNanoUsd += row.costNanoUsd;
  }

  figures(): JsonObject {
    return describeUsage(this);
  }
}

class UsageTotalsByName {
  readonly #entries = new Map<string, { readonly first: UsageDay; readonly sums: UsageTotals }>();

  add(name: string, row: UsageDay): void {
    const existing = this.#entries.get(name);
    const { sums: usageTotals } = existing ?? { sums: new UsageTotals() };
    if (existing === undefined) this.#entries.set(name, { first: row, sums: usageTotals });
    usageTotals.add(row);
  }

  /** Sorted by name. */
  list(label: (row: UsageDay) => JsonObject): readonly JsonObject[] {
    return [...this.#entries]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, { first, sums: usageTotals }]) => ({ ...label(first), ...usageTotals.figures() }));
  }
}

/** Sums as the API has them. */
export function describeUsage(sums: UsageSums) {
  return {
    requests: sums.requests,
    failed: sums.failed,
    input_tokens: sums.inputTokens,
    output_tokens: sums.outputTokens,
    cache_read_tokens: sums.cacheReadTokens,
    cache_write_tokens: sums.cacheWriteTokens,
    cost_usd: formatUsd(sums.costNanoUsd),
  };
}

function quotaReport({ limit, used, period }: QuotaStatus): JsonObject {
  return {
    limit,
    used,
    remaining: Math.max(0, limit - used),
    period_start: new Date(period.startMs).toISOString(),
    period_end: new Date(period.endMs).toISOString(),
  };
}

function* daysBetween({ from, to }: DayRange): Generator<string> {
  for (let atMs = dayStartMs(from); atMs <= dayStartMs(to); atMs += dayMs) yield dayName(atMs);
}

function dayStartMs(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

function dayName(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
