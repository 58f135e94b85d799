import { formatUsd, type NanoUsd } from '../kernel/money.ts';
import type { Alerts } from '../kernel/ports/alerts.ts';
import type {
  BudgetHolder,
  Ceilings,
  RefusedCeiling,
  SpendingListener,
  SpentInWindows,
} from '../kernel/ports/budget.ts';
import { Lru } from '../lib/lru.ts';
import { describeSubject } from './budget-subject.ts';
import { limits } from './limits.ts';
import { timeText } from './texts.ts';

interface BudgetAlertsParts {
  readonly alerts: Alerts;
  /** The name of an API key, or its first characters. */
  keyName(accountId: string, keyId: string): Promise<string>;
}

/** Percentages of a ceiling, for ceilings that set none of their own. */
const defaultThresholds: readonly number[] = [50, 80, 95, 100];

/** Ceilings of keys and stored budgets that are nearly or wholly spent. */
export class BudgetAlerts implements SpendingListener {
  readonly #parts: BudgetAlertsParts;
  /** How many thresholds each ceiling has passed, as far as this process knows. */
  readonly #passed = new Lru<number>(limits.ceilingsMax);

  constructor(parts: BudgetAlertsParts) {
    this.#parts = parts;
  }

  onSpent(holder: BudgetHolder, ceilings: Ceilings, { spent, windows }: SpentInWindows): void {
    const { thresholds, limit } = limitOf(holder, ceilings);
    for (const window of ['day', 'month', 'rolling'] as const) {
      const [ceiling, used = 0, period] = [limit[window], spent[window], windows[window]];
      if (ceiling === undefined || period === undefined) continue;
      if (used * 100 < ceiling * (thresholds[0] ?? Number.POSITIVE_INFINITY)) continue;
      const spending = { window, ceiling, spent: used, period };
      const name = `${holder.accountId}\n${ceilingKey(holder, spending)}`;
      const share = (used / ceiling) * 100;
      const passed = thresholds.filter((threshold) => share >= threshold).length;
      const before = this.#passed.get(name) ?? 0;
      if (passed <= before) continue;
      this.#passed.set(name, passed);
      for (const threshold of thresholds.slice(before, passed))
        void this.#raiseThreshold(holder, spending, threshold);
    }
  }

  onRefused(holder: BudgetHolder, refusal: RefusedCeiling): void {
    const name = `${holder.accountId}\n${ceilingKey(holder, refusal)}/exceeded`;
    if (this.#passed.get(name) !== undefined) return;
    this.#passed.set(name, 1);
    void this.#raiseExceeded(holder, refusal);
  }

  async #raiseThreshold(holder: BudgetHolder, spending: RefusedCeiling, threshold: number): Promise<void> {
    const { subject, ceiling, spent, until, data } = await this.#describe(holder, spending);
    this.#parts.alerts.raise({
      accountId: holder.accountId,
      event: 'budget.threshold',
      key: `${ceilingKey(holder, spending)}/${threshold}`,
      message: `${threshold} % of ${subject} is spent: ${spent} of ${ceiling} since ${timeText(spending.period.startMs)}. ${adviceAt(holder, threshold)} ${until}`,
      data: { threshold, ...data },
    });
  }

  async #raiseExceeded(holder: BudgetHolder, refusal: RefusedCeiling): Promise<void> {
    const { subject, ceiling, spent, until, data } = await this.#describe(holder, refusal);
    this.#parts.alerts.raise({
      accountId: holder.accountId,
      event: 'budget.exceeded',
      key: ceilingKey(holder, refusal),
      message: `A call was refused because it could exceed ${subject}: ${spent} of ${ceiling} is spent since ${timeText(refusal.period.startMs)}. Calls that cost more than the rest are refused. ${until}`,
      data,
    });
  }

  async #describe(holder: BudgetHolder, { window, ceiling, spent, period }: RefusedCeiling) {
    const keyName = (keyId: string) => this.#parts.keyName(holder.accountId, keyId).catch(() => keyId);
    const { text, data, remedy } = await describeSubject(holder, { window, keyName });
    const next = window === 'rolling' ? 'The window moves on' : `The next ${window} begins`;
    return {
      subject: text,
      ceiling: usd(ceiling),
      spent: usd(spent),
      until: `${next} at ${timeText(period.endMs)}. ${remedy}`,
      data: {
        ...data,
        ceiling_usd: formatUsd(ceiling),
        spent_usd: formatUsd(spent),
        period_start: new Date(period.startMs).toISOString(),
        resets_at: new Date(period.endMs).toISOString(),
      },
    };
  }
}

interface AlertLimit {
  readonly thresholds: readonly number[];
  readonly limit: Ceilings;
}

/** Calls hold nothing in budgets that only warn, so that their holds have no ceiling. */
function limitOf({ callBudget }: BudgetHolder, ceilings: Ceilings): AlertLimit {
  if (callBudget === undefined) return { thresholds: defaultThresholds, limit: ceilings };
  const { thresholds, period, limitNanoUsd } = callBudget.budget;
  return { thresholds, limit: { [period.kind]: limitNanoUsd } };
}

function adviceAt({ callBudget }: BudgetHolder, threshold: number): string {
  if (callBudget?.budget.mode === 'warning') return 'Calls go on: the budget only warns.';
  return threshold === 100 ? 'Further calls are refused.' : 'Calls beyond the ceiling are refused.';
}

/** Different for each ceiling and period: a changed ceiling has alerts of its own. */
function ceilingKey({ keyId }: BudgetHolder, { window, ceiling, period }: RefusedCeiling): string {
  // A window that moves on has one alert in as much time as it is long.
  const lengthMs = period.endMs - period.startMs;
  const startMs = window === 'rolling' ? Math.floor(period.endMs / lengthMs) * lengthMs : period.startMs;
  return `${keyId}/${window}/${startMs}/${ceiling}`;
}

function usd(nano: NanoUsd): string {
  return `${formatUsd(nano)} USD`;
}
