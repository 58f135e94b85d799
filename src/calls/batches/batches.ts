import { hash } from 'node:crypto';
import { hourOf } from '../../billing/budget-hour-tally.ts';
import { countedByHour } from '../../billing/record-attempt.ts';
import type { Spent } from '../../kernel/attempt.ts';
import type { BatchEstimate, BatchReservation } from '../../kernel/batch.ts';
import type { Exchange } from '../../kernel/exchange.ts';
import type { Usage } from '../../kernel/message.ts';
import {
  type BudgetHolder,
  budgetHolderOf,
  callBudgetHolder,
  tagBudgetHolder,
} from '../../kernel/ports/budget.ts';
import type { Reservation, UsageStore, UsageSums } from '../../kernel/ports/records.ts';
import type { StoredObjectList } from '../../kernel/stored-object.ts';
import type { Trace } from '../../kernel/trace.ts';
import { addUsageSums, zeroSums } from '../../kernel/usage-sums.ts';
import type { Clock } from '../../lib/clock.ts';
import { limits } from '../limits.ts';
import type { KnownObject, StoredObjects } from '../stored-objects/stored-objects.ts';
import type { BatchUsage } from './batch-meter.ts';

interface BatchesParts {
  readonly usage: Pick<UsageStore, 'reserve' | 'add'>;
  readonly objects: Pick<StoredObjects, 'find' | 'put'>;
  /** Has the budget of a holder counted anew. */
  forgetCount(holder: BudgetHolder): Promise<void>;
  /** The budgets reserve no longer what a call holds. */
  handOver(call: Trace): Promise<void>;
  readonly clock: Clock;
}

/** What the results of a batch say. */
interface MeteredBatch {
  readonly usage: BatchUsage;
  readonly isKnown: boolean;
}

/** A batch of an account, and its list. */
export interface KnownBatch {
  readonly scope: string;
  readonly list: StoredObjectList;
  readonly id: string;
}

/**
 * The money of batches. What a batch may cost is set aside in the database before it is sent, as a reservation that no process owns,
 * so that it outlives them. When the results are read, one transaction adds the usage and ends the reservation; it has
 * a name of its own, so that a second one changes nothing.
 */
export class Batches {
  readonly #parts: BatchesParts;

  constructor(parts: BatchesParts) {
    this.#parts = parts;
  }

  /** Until the provider has made the batch, for an hour: if the process is killed, nobody learns whether it did. */
  async reserve(
    { id, caller, tags, budgets, trace }: Pick<Exchange, 'id' | 'caller' | 'tags' | 'budgets' | 'trace'>,
    { nanoUsd }: BatchEstimate,
    callPath: string,
  ): Promise<BatchReservation> {
    const holder = budgetHolderOf(caller);
    const { accountId, keyId } = holder;
    const ofTags = Object.entries(tags).map(([name, value]) => tagBudgetHolder(holder, { name, value }));
    const keyIds = [holder, ...ofTags, ...budgets.map(callBudgetHolder)].map((one) => one.keyId);
    const hourlyBudgets = countedByHour(budgets);
    const reservation = {
      id: `batch ${id}`,
      ...{ nanoUsd, keyIds, accountId, keyId, tags, callPath, isSettled: false },
      // The previous release can't read it.
      ...(hourlyBudgets.length > 0 && { hourlyBudgets }),
    };
    await this.#write(reservation, nanoUsd, limits.unconfirmedBatchMs);
    await this.#parts.handOver(trace);
    return reservation;
  }

  /** The provider has made the batch. */
  async confirm(reservation: BatchReservation): Promise<void> {
    await this.#write(reservation, reservation.nanoUsd, limits.batchReservationMs);
  }

  /** The batch was not made. */
  async release(reservation: BatchReservation): Promise<void> {
    await this.#write(reservation, 0, 0);
    await this.#forgetCounts(reservation);
  }

  /**
   * Bills a batch, once; undefined if it was billed before. If the cost of some answers is not known, all of them cost what was
   * set aside, or more.
   */
  async settle(
    { scope, list, id }: KnownBatch,
    { usage, isKnown }: MeteredBatch,
  ): Promise<Spent | undefined> {
    const { usage: usageStore, objects, clock } = this.#parts;
    const known = await objects.find(scope, list, id);
    const reservation = known?.reservation;
    if (known === undefined || reservation === undefined || reservation.isSettled) return undefined;
    const { accountId, keyId, keyIds, nanoUsd, tags, hourlyBudgets = [] } = reservation;
    const atMs = clock.now();
    const day = new Date(atMs).toISOString().slice(0, 10);
    const metered = [...usage.values()].reduce<UsageSums>((sum, sums) => addUsageSums(sum, sums), zeroSums);
    const missing = isKnown ? 0 : Math.max(0, nanoUsd - metered.costNanoUsd);
    const total = { ...metered, costNanoUsd: metered.costNanoUsd + missing };
    const models = [...usage].map(([model, sums], at) => ({
      model,
      ...sums,
      costNanoUsd: sums.costNanoUsd + (at === 0 ? missing : 0),
    }));
    const added = await usageStore.add({
      id: `batch ${hash('sha256', [scope, list.name, id].join('\n'))}`,
      atMs,
      days: models.map((sums) => ({ accountId, day, keyId, provider: known.provider, ...sums })),
      counted: [],
      tags:
        models.length === 0
          ? []
          : Object.entries(tags).map(([tag, value]) => ({ accountId, day, tag, value, ...total })),
      budgetHours: hourlyBudgets.map((budget) => ({
        ...{ accountId, ...budget, hourMs: hourOf(atMs), costNanoUsd: total.costNanoUsd },
      })),
      settled: keyIds.map((holderId) => ({
        ...reservationKey(reservation, holderId),
        amount: nanoUsd,
      })),
    });
    await objects.put(scope, list, {
      ...known,
      reservation: { ...reservation, isSettled: true, billedNanoUsd: total.costNanoUsd },
    });
    await this.#forgetCounts(reservation);
    return added && { usage: usageIn(total), bill: { nanoUsd: total.costNanoUsd, estimated: !isKnown } };
  }

  async #write(reservation: BatchReservation, amount: number, lifeMs: number): Promise<void> {
    const atMs = this.#parts.clock.now();
    await this.#parts.usage.reserve(
      reservation.keyIds.map((keyId) => ({
        ...reservationKey(reservation, keyId),
        amount,
        atMs,
        untilMs: atMs + lifeMs,
      })),
    );
  }

  async #forgetCounts({ accountId, keyIds }: BatchReservation): Promise<void> {
    await Promise.all(keyIds.map((keyId) => this.#parts.forgetCount({ accountId, keyId })));
  }
}

function reservationKey(
  { id, accountId }: BatchReservation,
  keyId: string,
): Omit<Reservation, 'amount' | 'atMs' | 'untilMs'> {
  return { processId: id, accountId, of: 'spending', keyId, periodStartMs: 0 };
}

function usageIn(sums: UsageSums): Usage {
  return {
    input_tokens: sums.inputTokens,
    output_tokens: sums.outputTokens,
    cache_read_input_tokens: sums.cacheReadTokens,
    cache_creation_input_tokens: sums.cacheWriteTokens,
  };
}

/** Whether a batch waits for its bill. */
export function isOpen({ reservation }: KnownObject): boolean {
  return reservation !== undefined && !reservation.isSettled;
}
