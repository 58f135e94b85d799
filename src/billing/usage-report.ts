import type { JsonObject } from '../kernel/json.ts';
import { formatUsd } from '../kernel/money.ts';
import type { ModuleDay, UsageDay, UsageSums } from '../kernel/ports/records.ts';
import { modulesReport } from './module-report.ts';
import type { Standing } from './quota.ts';

/** Days of UTC, both included. */
interface Days {
  readonly from: string;
  readonly to: string;
}

const dayMs = 86_400_000;

/** The answer of `GET /v1/usage`: every day that was asked for, also those without a call. */
export function usageReport(
  days: Days,
  { rows, modules: worked }: { readonly rows: readonly UsageDay[]; readonly modules: readonly ModuleDay[] },
  standing?: Standing,
): JsonObject {
  const [total, models, keys] = [new Sums(), new SumsByName(), new SumsByName()];
  const daily = new Map<string, { readonly sums: Sums; readonly models: SumsByName }>();
  for (const day of daysBetween(days)) daily.set(day, { sums: new Sums(), models: new SumsByName() });
  for (const row of rows) {
    const model = `${row.provider}\n${row.model}`;
    total.add(row);
    models.add(model, row);
    keys.add(row.keyId, row);
    daily.get(row.day)?.sums.add(row);
    daily.get(row.day)?.models.add(model, row);
  }
  const workedOn = Object.groupBy(worked, ({ day }) => day);
  return {
    ...days,
    total: total.figures(),
    days: [...daily].map(([day, of]) => ({
      day,
      ...of.sums.figures(),
      models: of.models.list(modelName),
      modules: modulesReport(workedOn[day] ?? []),
    })),
    models: models.list(modelName),
    modules: modulesReport(worked),
    keys: keys.list(({ keyId }) => ({ key_id: keyId === '' ? null : keyId })),
    ...(standing !== undefined && { quota: quotaOf(standing) }),
  };
}

const modelName = ({ provider, model }: UsageDay): JsonObject => ({ provider, model });

class Sums {
  #requests = 0;
  #failed = 0;
  #inputTokens = 0;
  #outputTokens = 0;
  #cacheReadTokens = 0;
  #cacheWriteTokens = 0;
  #costNanoUsd = 0;

  add(row: UsageSums): void {
    this.#requests += row.requests;
    this.#failed += row.failed;
    this.#inputTokens += row.inputTokens;
    this.#outputTokens += row.outputTokens;
    this.#cacheReadTokens += row.cacheReadTokens;
    this.#cacheWriteTokens += row.cacheWriteTokens;
    this.#costNanoUsd += row.costNanoUsd;
  }

  figures(): JsonObject {
    return {
      requests: this.#requests,
      failed: this.#failed,
      input_tokens: this.#inputTokens,
      output_tokens: this.#outputTokens,
      cache_read_tokens: this.#cacheReadTokens,
      cache_write_tokens: this.#cacheWriteTokens,
      cost_usd: formatUsd(this.#costNanoUsd),
    };
  }
}

class SumsByName {
  readonly #kept = new Map<string, { readonly first: UsageDay; readonly sums: Sums }>();

  add(name: string, row: UsageDay): void {
    const known = this.#kept.get(name);
    const { sums } = known ?? { sums: new Sums() };
    if (known === undefined) this.#kept.set(name, { first: row, sums });
    sums.add(row);
  }

  /** In order of their names. */
  list(label: (row: UsageDay) => JsonObject): readonly JsonObject[] {
    return [...this.#kept]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, { first, sums }]) => ({ ...label(first), ...sums.figures() }));
  }
}

function quotaOf({ limit, used, period }: Standing): JsonObject {
  return {
    limit,
    used,
    remaining: Math.max(0, limit - used),
    period_start: new Date(period.startMs).toISOString(),
    period_end: new Date(period.endMs).toISOString(),
  };
}

function* daysBetween({ from, to }: Days): Generator<string> {
  for (let atMs = startOf(from); atMs <= startOf(to); atMs += dayMs) yield nameOf(atMs);
}

function startOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

function nameOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
