import { limits } from '../kernel/limits.ts';
import type { Usage } from '../kernel/message.ts';
import type { ModuleDay, QuotaCalls, UsageBatch, UsageDay, UsageStore } from '../kernel/ports/records.ts';
import { storableFigure, storableText } from '../kernel/storable.ts';
import { type ModuleSavings, ModuleTally } from './module-tally.ts';
import type { SettledAmounts } from './reservations.ts';
import type { BatchFile } from './usage-journal/batch-file.ts';

/** The usage of one ended call. */
export interface RecordedCall {
  readonly accountId: string;
  /** Empty if no key was used. */
  readonly keyId: string;
  readonly provider: string;
  readonly model: string;
  readonly failed: boolean;
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

  constructor({ id, sumsMax, settledAmounts, file }: UsageTallyParts) {
    this.id = id;
    this.settledAmounts = settledAmounts;
    this.#sumsMax = sumsMax;
    this.#file = file;
  }

  /** The number of sums. */
  get size(): number {
    return this.#days.size + (this.#modules?.size ?? 0);
  }

  /** Adds one request, with its usage if it has any. */
  addCall(call: RecordedCall, day: string): void {
    const sum = this.#sumFor(call, day);
    sum.requests++;
    if (call.failed) sum.failed++;
    addUsage(sum, call);
    this.#file?.markChanged('days', sum);
    if (call.periodStartMs !== undefined) this.#countCall(call, call.periodStartMs);
  }

  /** Adds the usage of an attempt, without a request. */
  addAttempt(attempt: AttemptUsage, day: string): void {
    const sum = this.#sumFor(attempt, day);
    addUsage(sum, attempt);
    this.#file?.markChanged('days', sum);
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

  callsIn(accountId: string, periodStartMs: number): number {
    return this.#periodCounts.get(periodKey(accountId, periodStartMs))?.calls ?? 0;
  }

  days({ accountId, from, to }: UsageQuery): readonly UsageDay[] {
    return [...this.#days.values()].filter(
      (sum) => (accountId === undefined || sum.accountId === accountId) && sum.day >= from && sum.day <= to,
    );
  }

  /** The batch is stored: its copy is not needed any more. */
  removeFile(): void {
    this.#file?.remove();
  }

  /** All sums. */
  rows(): Pick<UsageBatch, 'days' | 'counted' | 'modules'> {
    return {
      days: [...this.#days.values()],
      counted: [...this.#periodCounts.values()],
      ...(this.#modules !== undefined && { modules: this.#modules.rows() }),
    };
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

const zeroSums = {
  requests: 0,
  failed: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costNanoUsd: 0,
} as const;

/** Clients choose the model, so it comes last: it can't be mistaken for another part. */
function sumKey({ accountId, keyId, provider }: UsageGroup, day: string, model: string): string {
  return `${accountId}\n${day}\n${keyId}\n${provider}\n${model}`;
}

function periodKey(accountId: string, periodStartMs: number): string {
  return `${periodStartMs}\n${accountId}`;
}

function addUsage(
  sum: Writable<UsageDay>,
  { usage, costNanoUsd }: Pick<RecordedCall, 'usage' | 'costNanoUsd'>,
): void {
  sum.inputTokens += storableOrZero(usage?.input_tokens);
  sum.outputTokens += storableOrZero(usage?.output_tokens);
  sum.cacheReadTokens += storableOrZero(usage?.cache_read_input_tokens);
  sum.cacheWriteTokens += storableOrZero(usage?.cache_creation_input_tokens);
  sum.costNanoUsd += storableOrZero(costNanoUsd);
}

/** Providers may report anything; sums have to stay integers. */
function storableOrZero(figure: number | undefined): number {
  return storableFigure(figure) ?? 0;
}
