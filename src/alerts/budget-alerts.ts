import { formatUsd, type NanoUsd } from '../kernel/money.ts';
import type { Alerts } from '../kernel/ports/alerts.ts';
import type {
  BudgetHolder,
  BudgetTag,
  Ceilings,
  RefusedCeiling,
  SpendingListener,
  SpentInWindows,
} from '../kernel/ports/budget.ts';
import { Lru } from '../lib/lru.ts';
import { limits } from './limits.ts';
import { quoteName, timeText } from './texts.ts';

interface BudgetAlertsParts {
  readonly alerts: Alerts;
  /** The name of an API key, or its first characters. */
  keyName(accountId: string, keyId: string): Promise<string>;
}

/** Percentages of a ceiling. */
const thresholds = [50, 80, 95, 100] as const;

/** Ceilings of keys that are nearly or wholly spent. */
export class BudgetAlerts implements SpendingListener {
  readonly #parts: BudgetAlertsParts;
  /** How many thresholds each ceiling has passed, as far as this process knows. */
  readonly #passed = new Lru<number>(limits.ceilingsMax);

  constructor(parts: BudgetAlertsParts) {
    this.#parts = parts;
  }

  onSpent(holder: BudgetHolder, ceilings: Ceilings, { spent, windows }: SpentInWindows): void {
    for (const window of ['day', 'month'] as const) {
      const ceiling = ceilings[window];
      if (ceiling === undefined || spent[window] * 100 < ceiling * thresholds[0]) continue;
      const spending = { window, ceiling, spent: spent[window], period: windows[window] };
      const name = `${holder.accountId}\n${ceilingKey(holder, spending)}`;
      const share = (spent[window] / ceiling) * 100;
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
    this.#passed.set(name, thresholds.length);
    void this.#raiseExceeded(holder, refusal);
  }

  async #raiseThreshold(holder: BudgetHolder, spending: RefusedCeiling, threshold: number): Promise<void> {
    const { subject, ceiling, spent, until, data } = await this.#describe(holder, spending);
    const advice = threshold === 100 ? 'Further calls are refused.' : 'Calls beyond the ceiling are refused.';
    this.#parts.alerts.raise({
      accountId: holder.accountId,
      event: 'budget.threshold',
      key: `${ceilingKey(holder, spending)}/${threshold}`,
      message: `${threshold} % of the ceiling of ${subject} is spent: ${spent} of ${ceiling} since ${timeText(spending.period.startMs)}. ${advice} ${until}`,
      data: { threshold, ...data },
    });
  }

  async #raiseExceeded(holder: BudgetHolder, refusal: RefusedCeiling): Promise<void> {
    const { subject, ceiling, spent, until, data } = await this.#describe(holder, refusal);
    this.#parts.alerts.raise({
      accountId: holder.accountId,
      event: 'budget.exceeded',
      key: ceilingKey(holder, refusal),
      message: `A call was refused because it could exceed the ceiling of ${subject}: ${spent} of ${ceiling} is spent since ${timeText(refusal.period.startMs)}. Calls that cost more than the rest are refused. ${until}`,
      data,
    });
  }

  async #describe(holder: BudgetHolder, { window, ceiling, spent, period }: RefusedCeiling) {
    const { accountId, tag } = holder;
    const keyId = tag === undefined ? holder.keyId : '';
    const name = keyId === '' ? '' : await this.#parts.keyName(accountId, keyId).catch(() => keyId);
    return {
      subject: `${describeHolder(keyId, name, tag)} for the ${window}`,
      ceiling: usd(ceiling),
      spent: usd(spent),
      until: `The next ${window} begins at ${timeText(period.endMs)}. To raise the ceiling, change cost-guard in the pipeline${keyId === '' ? '' : ' of the key'}.`,
      data: {
        key_id: keyId === '' ? null : keyId,
        key_name: name,
        tag: tag === undefined ? null : { name: tag.name, value: tag.value === '' ? null : tag.value },
        window,
        ceiling_usd: formatUsd(ceiling),
        spent_usd: formatUsd(spent),
        period_start: new Date(period.startMs).toISOString(),
        resets_at: new Date(period.endMs).toISOString(),
      },
    };
  }
}

function describeHolder(keyId: string, name: string, tag: BudgetTag | undefined): string {
  if (tag !== undefined)
    return tag.value === ''
      ? `calls without the tag ${quoteName(tag.name)}`
      : `calls with the tag ${quoteName(`${tag.name}=${tag.value}`)}`;
  return keyId === '' ? 'this gateway' : `API key ${quoteName(name)}`;
}

/** Different for each ceiling and period: a changed ceiling has alerts of its own. */
function ceilingKey({ keyId }: BudgetHolder, { window, ceiling, period }: RefusedCeiling): string {
  return `${keyId}/${window}/${period.startMs}/${ceiling}`;
}

function usd(nano: NanoUsd): string {
  return `${formatUsd(nano)} USD`;
}
