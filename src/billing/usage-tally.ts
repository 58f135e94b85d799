import { randomUUID } from 'node:crypto';
import { limits } from '../kernel/limits.ts';
import type { Usage } from '../kernel/message.ts';
import type { Counted, ModuleDay, UsageBatch, UsageBook, UsageDay } from '../kernel/ports/records.ts';
import { storableFigure, storableText } from '../kernel/storable.ts';
import { ModuleTally, type ModuleWork } from './module-tally.ts';
import type { Settlements } from './reservations.ts';

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
export interface SpentAttempt {
  readonly accountId: string;
  /** Empty where no key was used. */
  readonly keyId: string;
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  /** Undefined where nobody knows the price. */
  readonly costNanoUsd: number | undefined;
}

export type UsageQuestion = Parameters<UsageBook['days']>[0];

type Writable<Row> = { -readonly [Field in keyof Row]: Row[Field] };

const rest = 'other';

/** Sums of calls that wait to be stored. Their number is bounded; what comes on top is summed up more coarsely. */
export class UsageTally {
  /** By which the book knows it when it is sent again. */
  readonly id = randomUUID();
  /** What needs no reserve any more once this is stored. */
  readonly settlements: Settlements;
  readonly #sumsMax: number;
  readonly #days = new Map<string, Writable<UsageDay>>();
  readonly #counted = new Map<string, Writable<Counted>>();
  #latest: Writable<UsageDay> | undefined;
  #latestCounted: Writable<Counted> | undefined;
  #modules: ModuleTally | undefined;

  constructor(sumsMax: number, settlements: Settlements = new Map()) {
    this.#sumsMax = sumsMax;
    this.settlements = settlements;
  }

  /** Sums that it holds. */
  get size(): number {
    return this.#days.size + (this.#modules?.size ?? 0);
  }

  /** One request, with what it used where it says so. */
  count(call: RecordedCall, day: string): void {
    const sum = this.#sum(call, day);
    sum.requests++;
    if (call.failed) sum.failed++;
    addSpent(sum, call);
    if (call.periodStartMs !== undefined) this.#countIn(call, call.periodStartMs);
  }

  /** What an attempt used, and no request. */
  spend(attempt: SpentAttempt, day: string): void {
    addSpent(this.#sum(attempt, day), attempt);
  }

  /** What a module did, where it says so. */
  work(work: ModuleWork, day: string): void {
    this.#modules ??= new ModuleTally(this.#sumsMax);
    this.#modules.add(work, day);
  }

  modules(question: UsageQuestion): readonly ModuleDay[] {
    return this.#modules?.days(question) ?? [];
  }

  calls(accountId: string, periodStartMs: number): number {
    return this.#counted.get(periodName(accountId, periodStartMs))?.calls ?? 0;
  }

  days({ accountId, from, to }: UsageQuestion): readonly UsageDay[] {
    return [...this.#days.values()].filter(
      (sum) => (accountId === undefined || sum.accountId === accountId) && sum.day >= from && sum.day <= to,
    );
  }

  /** All that it holds. */
  rows(): Pick<UsageBatch, 'days' | 'counted' | 'modules'> {
    return {
      days: [...this.#days.values()],
      counted: [...this.#counted.values()],
      ...(this.#modules !== undefined && { modules: this.#modules.rows() }),
    };
  }

  #sum(whose: Whose & Pick<UsageDay, 'model'>, day: string): Writable<UsageDay> {
    // What a call used and the call itself come right after each other.
    const latest = this.#latest;
    if (latest !== undefined && isOf(latest, whose, day)) return latest;
    this.#latest = this.#days.get(dayName(whose, day, whose.model));
    if (this.#latest !== undefined) return this.#latest;
    const size = this.#days.size;
    if (size < this.#sumsMax) return this.#sumOf(whose, day, storableText(whose.model, limits.modelNameMax));
    if (size < this.#sumsMax * 2) return this.#sumOf(whose, day, rest);
    return this.#sumOf({ accountId: whose.accountId, keyId: '', provider: rest }, day, rest);
  }

  #sumOf(whose: Whose, day: string, model: string): Writable<UsageDay> {
    const name = dayName(whose, day, model);
    const known = this.#days.get(name);
    if (known !== undefined) return known;
    const { accountId, keyId, provider } = whose;
    const sum = { accountId, day, keyId, provider, model, ...nothing };
    this.#days.set(name, sum);
    return sum;
  }

  #countIn({ accountId, paidPast }: RecordedCall, periodStartMs: number): void {
    const counted = this.#countedOf(accountId, periodStartMs);
    counted.calls++;
    // The higher where a cap was changed meanwhile: what was within one of both is not paid for.
    if (paidPast !== undefined) counted.paidPast = Math.max(paidPast, counted.paidPast ?? 0);
  }

  #countedOf(accountId: string, periodStartMs: number): Writable<Counted> {
    const latest = this.#latestCounted;
    if (latest?.accountId === accountId && latest.periodStartMs === periodStartMs) return latest;
    const name = periodName(accountId, periodStartMs);
    const known = this.#counted.get(name) ?? { accountId, periodStartMs, calls: 0, paidPast: undefined };
    this.#counted.set(name, known);
    this.#latestCounted = known;
    return known;
  }
}

type Whose = Pick<UsageDay, 'accountId' | 'keyId' | 'provider'>;

function isOf(
  sum: UsageDay,
  { accountId, keyId, provider, model }: Whose & Pick<UsageDay, 'model'>,
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

const nothing = {
  requests: 0,
  failed: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costNanoUsd: 0,
} as const;

/** The model comes last, since clients choose it: whatever it contains, it can't be taken for another part. */
function dayName({ accountId, keyId, provider }: Whose, day: string, model: string): string {
  return `${accountId}\n${day}\n${keyId}\n${provider}\n${model}`;
}

function periodName(accountId: string, periodStartMs: number): string {
  return `${periodStartMs}\n${accountId}`;
}

function addSpent(
  sum: Writable<UsageDay>,
  { usage, costNanoUsd }: Pick<RecordedCall, 'usage' | 'costNanoUsd'>,
): void {
  sum.inputTokens += figure(usage?.input_tokens);
  sum.outputTokens += figure(usage?.output_tokens);
  sum.cacheReadTokens += figure(usage?.cache_read_input_tokens);
  sum.cacheWriteTokens += figure(usage?.cache_creation_input_tokens);
  sum.costNanoUsd += figure(costNanoUsd);
}

/** Providers say what they like; sums have to stay whole numbers. */
function figure(told: number | undefined): number {
  return storableFigure(told) ?? 0;
}
