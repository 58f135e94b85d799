import { limits } from '../kernel/limits.ts';
import type { Usage } from '../kernel/message.ts';
import type {
  BudgetHour,
  ModuleDay,
  QuotaCalls,
  TagDay,
  UsageBatch,
  UsageDay,
  UsageStore,
} from '../kernel/ports/records.ts';
import { storableText } from '../kernel/storable.ts';
import { hasTags, type Tags } from '../kernel/tags.ts';
import { zeroSums } from '../kernel/usage-sums.ts';
import { type BudgetHoursQuery, BudgetHourTally, type HourlyBudget } from './budget-hour-tally.ts';
import { type ModuleSavings, ModuleTally } from './module-tally.ts';
import type { SettledAmounts } from './reservations.ts';
import { TagTally } from './tag-tally.ts';
import type { BatchFile } from './usage-journal/batch-file.ts';
import { addUsage, type WritableSums } from './usage-sums.ts';

/** The usage of one ended call. */
export interface RecordedCall {
  readonly accountId: string;
  /** Empty if no key was used. */
  readonly keyId: string;
  readonly provider: string;
  readonly model: string;
  readonly failed: boolean;
  readonly tags?: Tags;
  /** The period it counts in; undefined if it does not count. */
  readonly periodStartMs: number | undefined;
  /** Credits pay for calls past this number in the period; undefined if they pay for none. */
  readonly paidPast?: number | undefined;
  /** Its usage, unless reported per attempt. */
  readonly usage?: Usage | undefined;
  /** Also undefined if the price is unknown. */
  readonly costNanoUsd?: number | undefined;
}

/** The usage of one attempt; a call may have several, or none. */
export interface AttemptUsage {
  readonly accountId: string;
  /** Empty if no key was used. */
  readonly keyId: string;
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  /** Undefined if the price is unknown. */
  readonly costNanoUsd: number | undefined;
  readonly tags?: Tags;
  /** Those that limit the call and are counted by the hour. */
  readonly budgets?: readonly HourlyBudget[];
}

export type UsageQuery = Parameters<UsageStore['days']>[0];

type Writable<Row> = { -readonly [Field in keyof Row]: Row[Field] };

const overflowLabel = 'other';

interface UsageTallyParts {
  readonly id: string;
  readonly sumsMax: number;
  readonly settledAmounts: SettledAmounts;
  /** A copy of the sums that survives a kill. */
  readonly file: BatchFile | undefined;
}

/** Sums of calls not stored yet. Their number is bounded; beyond it, calls are summed up more coarsely. */
export class UsageTally {
  /** Lets the usage store recognize a batch that is sent again. */
  readonly id: string;
  /** The amounts that need no reserve once this is stored. */
  readonly settledAmounts: SettledAmounts;
  readonly #sumsMax: number;
  readonly #file: BatchFile | undefined;
  readonly #days = new Map<string, Writable<UsageDay>>();
  readonly #periodCounts = new Map<string, Writable<QuotaCalls>>();
  #latest: Writable<UsageDay> | undefined;
  #latestPeriodCount: Writable<QuotaCalls> | undefined;
  #modules: ModuleTally | undefined;
  #tags: TagTally | undefined;
  #budgetHours: BudgetHourTally | undefined;

  constructor({ id, sumsMax, settledAmounts, file }: UsageTallyParts) {
    this.id = id;
    this.settledAmounts = settledAmounts;
    this.#sumsMax = sumsMax;
    this.#file = file;
  }

  /** The number of sums. */
  get size(): number {
    return (
      this.#days.size + (this.#modules?.size ?? 0) + (this.#tags?.size ?? 0) + (this.#budgetHours?.size ?? 0)
    );
  }

  /** Adds one request, with its usage if it has any. */
  addCall(call: RecordedCall, day: string): void {
    const sum = this.#sumFor(call, day);
    addCall(sum, call);
    this.#file?.markChanged('days', sum);
    this.#addToTags(call, day, addCall);
    if (call.periodStartMs !== undefined) this.#countCall(call, call.periodStartMs);
  }

  /** Adds the usage of an attempt, without a request. */
  addAttempt(attempt: AttemptUsage, day: string, atMs: number): void {
    const sum = this.#sumFor(attempt, day);
    addUsage(sum, attempt);
    this.#file?.markChanged('days', sum);
    this.#addToTags(attempt, day, addUsage);
    this.#addToBudgets(attempt, atMs);
  }

  /** Adds the effect of a module, if any. */
  addModule(work: ModuleSavings, day: string): void {
    this.#modules ??= new ModuleTally(this.#sumsMax);
    const sum = this.#modules.add(work, day);
    // The journal, which every call would write to, keeps money; a kill may lose a second's count of calls.
    if (work.calls === undefined) this.#file?.markChanged('modules', sum);
  }

  modules(query: UsageQuery): readonly ModuleDay[] {
    return this.#modules?.days(query) ?? [];
  }

  tags(query: UsageQuery): readonly TagDay[] {
    return this.#tags?.days(query) ?? [];
  }

  budgetHours(query: BudgetHoursQuery): readonly BudgetHour[] {
    return this.#budgetHours?.find(query) ?? [];
  }

  callsIn(accountId: string, periodStartMs: number): number {
    return this.#periodCounts.get(periodKey(accountId, periodStartMs))?.calls ?? 0;
  }

  days({ accountId, keyIds, from, to }: UsageQuery): readonly UsageDay[] {
    const keys = keyIds && new Set(keyIds);
    return [...this.#days.values()].filter(
      (sum) =>
        (accountId === undefined || sum.accountId === accountId) &&
        (keys === undefined || keys.has(sum.keyId)) &&
        sum.day >= from &&
        sum.day <= to,
    );
  }

  /** The batch is stored: its copy is not needed any more. */
  removeFile(): void {
    this.#file?.remove();
  }

  /** All sums. */
  rows(): Pick<UsageBatch, 'days' | 'counted' | 'modules' | 'tags' | 'budgetHours'> {
    return {
      days: [...this.#days.values()],
      counted: [...this.#periodCounts.values()],
      ...(this.#modules !== undefined && { modules: this.#modules.rows() }),
      ...(this.#tags !== undefined && { tags: this.#tags.rows() }),
      ...(this.#budgetHours !== undefined && { budgetHours: this.#budgetHours.rows() }),
    };
  }

  #addToTags<Added extends { readonly accountId: string; readonly tags?: Tags }>(
    added: Added,
    day: string,
    add: (sum: WritableSums, added: Added) => void,
  ): void {
    if (added.tags === undefined || !hasTags(added.tags)) return;
    this.#tags ??= new TagTally(this.#sumsMax);
    for (const sum of this.#tags.sumsFor(added.accountId, added.tags, day)) {
      add(sum, added);
      this.#file?.markChanged('tags', sum);
    }
  }

  #addToBudgets({ accountId, budgets, costNanoUsd = 0 }: AttemptUsage, atMs: number): void {
    if (budgets === undefined || budgets.length === 0 || costNanoUsd === 0) return;
    this.#budgetHours ??= new BudgetHourTally();
    for (const budget of budgets)
      this.#file?.markChanged('budgetHours', this.#budgetHours.add(accountId, budget, atMs, costNanoUsd));
  }

  #sumFor(group: UsageGroup & Pick<UsageDay, 'model'>, day: string): Writable<UsageDay> {
    // A call and its usage are added right after each other.
    const latest = this.#latest;
    if (latest !== undefined && isSameGroup(latest, group, day)) return latest;
    this.#latest = this.#days.get(sumKey(group, day, group.model));
    if (this.#latest !== undefined) return this.#latest;
    const size = this.#days.size;
    if (size < this.#sumsMax)
      return this.#findOrCreateSum(group, day, storableText(group.model, limits.modelNameMax));
    if (size < this.#sumsMax * 2) return this.#findOrCreateSum(group, day, overflowLabel);
    return this.#findOrCreateSum(
      { accountId: group.accountId, keyId: '', provider: overflowLabel },
      day,
      overflowLabel,
    );
  }

  #findOrCreateSum(usageGroup: UsageGroup, day: string, model: string): Writable<UsageDay> {
    const name = sumKey(usageGroup, day, model);
    const existing = this.#days.get(name);
    if (existing !== undefined) return existing;
    const { accountId, keyId, provider } = usageGroup;
    const sum = { accountId, day, keyId, provider, model, ...zeroSums };
    this.#days.set(name, sum);
    return sum;
  }

  #countCall({ accountId, paidPast }: RecordedCall, periodStartMs: number): void {
    const counted = this.#periodCountFor(accountId, periodStartMs);
    counted.calls++;
    // The higher one if the cap changed meanwhile: calls within either cap are not charged.
    if (paidPast !== undefined) counted.paidPast = Math.max(paidPast, counted.paidPast ?? 0);
    this.#file?.markChanged('counted', counted);
  }

  #periodCountFor(accountId: string, periodStartMs: number): Writable<QuotaCalls> {
    const latest = this.#latestPeriodCount;
    if (latest?.accountId === accountId && latest.periodStartMs === periodStartMs) return latest;
    const name = periodKey(accountId, periodStartMs);
    const existing = this.#periodCounts.get(name) ?? {
      accountId,
      periodStartMs,
      calls: 0,
      paidPast: undefined,
    };
    this.#periodCounts.set(name, existing);
    this.#latestPeriodCount = existing;
    return existing;
  }
}

function addCall(sum: WritableSums, call: RecordedCall): void {
  sum.requests++;
  if (call.failed) sum.failed++;
  addUsage(sum, call);
}

type UsageGroup = Pick<UsageDay, 'accountId' | 'keyId' | 'provider'>;

function isSameGroup(
  sum: UsageDay,
  { accountId, keyId, provider, model }: UsageGroup & Pick<UsageDay, 'model'>,
  day: string,
) {
  return (
    sum.model === model &&
    sum.keyId === keyId &&
    sum.accountId === accountId &&
    sum.provider === provider &&
    sum.day === day
  );
}

/** Clients choose the model, so it comes last: it can't be mistaken for another part. */
function sumKey({ accountId, keyId, provider }: UsageGroup, day: string, model: string): string {
  return `${accountId}\n${day}\n${keyId}\n${provider}\n${model}`;
}

function periodKey(accountId: string, periodStartMs: number): string {
  return `${periodStartMs}\n${accountId}`;
}
