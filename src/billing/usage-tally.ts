import { randomUUID } from 'node:crypto';
import { limits } from '../kernel/limits.ts';
import type { Usage } from '../kernel/message.ts';
import type { ModuleDay, QuotaCalls, UsageBatch, UsageDay, UsageStore } from '../kernel/ports/records.ts';
import { storableFigure, storableText } from '../kernel/storable.ts';
import { type ModuleSavings, ModuleTally } from './module-tally.ts';
import type { SettledAmounts } from './reservations.ts';

/** What is known of one call when it has ended. */
export interface RecordedCall {
  readonly accountId: string;
  /** Empty where no key was used. */
  readonly keyId: string;
  readonly provider: string;
  readonly model: string;
  readonly failed: boolean;
  /** The period that it counts in; undefined where it counts in none. */
  readonly periodStartMs: number | undefined;
  /** Calls past so many in the period are paid for with credits; undefined where none are. */
  readonly paidPast?: number | undefined;
  /** What it used, unless that is told attempt by attempt. */
  readonly usage?: Usage | undefined;
  /** Undefined where nobody knows the price, too. */
  readonly costNanoUsd?: number | undefined;
}

/** What one provider's answer to a call used; a call may have several, or none. */
export interface AttemptUsage {
  readonly accountId: string;
  /** Empty where no key was used. */
  readonly keyId: string;
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  /** Undefined where nobody knows the price. */
  readonly costNanoUsd: number | undefined;
}

export type UsageQuery = Parameters<UsageStore['days']>[0];

type Writable<Row> = { -readonly [Field in keyof Row]: Row[Field] };

const overflowLabel = 'other';

/** Sums of calls that wait to be stored. Their number is bounded; what comes on top is summed up more coarsely. */
export class UsageTally {
  /** By which the book knows it when it is sent again. */
  readonly id = randomUUID();
  /** What needs no reserve any more once this is stored. */
  readonly settledAmounts: SettledAmounts;
  readonly #sumsMax: number;
  readonly #days = new Map<string, Writable<UsageDay>>();
  readonly #periodCounts = new Map<string, Writable<QuotaCalls>>();
  #latest: Writable<UsageDay> | undefined;
  #latestPeriodCount: Writable<QuotaCalls> | undefined;
  #modules: ModuleTally | undefined;

  constructor(sumsMax: number, settledAmounts: SettledAmounts = new Map()) {
    this.#sumsMax = sumsMax;
    this.settledAmounts = settledAmounts;
  }

  /** Sums that it holds. */
  get size(): number {
    return this.#days.size + (this.#modules?.size ?? 0);
  }

  /** One request, with what it used where it says so. */
  addCall(call: RecordedCall, day: string): void {
    const sum = this.#sumFor(call, day);
    sum.requests++;
    if (call.failed) sum.failed++;
    addUsage(sum, call);
    if (call.periodStartMs !== undefined) this.#countCall(call, call.periodStartMs);
  }

  /** What an attempt used, and no request. */
  addAttempt(attempt: AttemptUsage, day: string): void {
    addUsage(this.#sumFor(attempt, day), attempt);
  }

  /** What a module did, where it says so. */
  addModule(work: ModuleSavings, day: string): void {
    this.#modules ??= new ModuleTally(this.#sumsMax);
    this.#modules.add(work, day);
  }

  modules(question: UsageQuery): readonly ModuleDay[] {
    return this.#modules?.days(question) ?? [];
  }

  callsIn(accountId: string, periodStartMs: number): number {
    return this.#periodCounts.get(periodKey(accountId, periodStartMs))?.calls ?? 0;
  }

  days({ accountId, from, to }: UsageQuery): readonly UsageDay[] {
    return [...this.#days.values()].filter(
      (sum) => (accountId === undefined || sum.accountId === accountId) && sum.day >= from && sum.day <= to,
    );
  }

  /** All that it holds. */
  rows(): Pick<UsageBatch, 'days' | 'counted' | 'modules'> {
    return {
      days: [...this.#days.values()],
      counted: [...this.#periodCounts.values()],
      ...(this.#modules !== undefined && { modules: this.#modules.rows() }),
    };
  }

  #sumFor(whose: UsageGroup & Pick<UsageDay, 'model'>, day: string): Writable<UsageDay> {
    // What a call used and the call itself come right after each other.
    const latest = this.#latest;
    if (latest !== undefined && isSameGroup(latest, whose, day)) return latest;
    this.#latest = this.#days.get(sumKey(whose, day, whose.model));
    if (this.#latest !== undefined) return this.#latest;
    const size = this.#days.size;
    if (size < this.#sumsMax)
      return this.#findOrCreateSum(whose, day, storableText(whose.model, limits.modelNameMax));
    if (size < this.#sumsMax * 2) return this.#findOrCreateSum(whose, day, overflowLabel);
    return this.#findOrCreateSum(
      { accountId: whose.accountId, keyId: '', provider: overflowLabel },
      day,
      overflowLabel,
    );
  }

  #findOrCreateSum(usageGroup: UsageGroup, day: string, model: string): Writable<UsageDay> {
    const name = sumKey(usageGroup, day, model);
    const known = this.#days.get(name);
    if (known !== undefined) return known;
    const { accountId, keyId, provider } = usageGroup;
    const sum = { accountId, day, keyId, provider, model, ...zeroSums };
    this.#days.set(name, sum);
    return sum;
  }

  #countCall({ accountId, paidPast }: RecordedCall, periodStartMs: number): void {
    const counted = this.#periodCountFor(accountId, periodStartMs);
    counted.calls++;
    // The higher where a cap was changed meanwhile: what was within one of both is not paid for.
    if (paidPast !== undefined) counted.paidPast = Math.max(paidPast, counted.paidPast ?? 0);
  }

  #periodCountFor(accountId: string, periodStartMs: number): Writable<QuotaCalls> {
    const latest = this.#latestPeriodCount;
    if (latest?.accountId === accountId && latest.periodStartMs === periodStartMs) return latest;
    const name = periodKey(accountId, periodStartMs);
    const known = this.#periodCounts.get(name) ?? { accountId, periodStartMs, calls: 0, paidPast: undefined };
    this.#periodCounts.set(name, known);
    this.#latestPeriodCount = known;
    return known;
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

/** The model comes last, since clients choose it: whatever it contains, it can't be taken for another part. */
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

/** Providers say what they like; sums have to stay whole numbers. */
function storableOrZero(told: number | undefined): number {
  return storableFigure(told) ?? 0;
}
