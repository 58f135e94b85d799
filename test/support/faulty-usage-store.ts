import type { QuotaUsage, Reservation, UsageBatch, UsageStore } from '../../src/kernel/ports/records.ts';

/** A usage book that a test can come between. */
export class FaultyUsageStore implements UsageStore {
  /** Run before and after a batch is added; what they throw is what the caller gets. */
  beforeAdd: (batch: UsageBatch) => void | Promise<void> = () => undefined;
  afterAdd: (batch: UsageBatch) => void | Promise<void> = () => undefined;
  /** Run after a count was read. */
  afterCounted: () => void | Promise<void> = () => undefined;
  /** Run before something is reserved. */
  beforeReserve: (reservations: readonly Reservation[]) => void | Promise<void> = () => undefined;
  /** Tries to add a batch, and questions for counts. */
  adds = 0;
  reserves = 0;
  counts = 0;
  readonly #book: UsageStore;

  constructor(book: UsageStore) {
    this.#book = book;
  }

  async add(batch: UsageBatch): ReturnType<UsageStore['add']> {
    this.adds++;
    await this.beforeAdd(batch);
    const paid = await this.#book.add(batch);
    await this.afterAdd(batch);
    return paid;
  }

  days(question: Parameters<UsageStore['days']>[0]): ReturnType<UsageStore['days']> {
    return this.#book.days(question);
  }

  groups(question: Parameters<UsageStore['groups']>[0]): ReturnType<UsageStore['groups']> {
    return this.#book.groups(question);
  }

  projects(question: Parameters<UsageStore['projects']>[0]): ReturnType<UsageStore['projects']> {
    return this.#book.projects(question);
  }

  modules(question: Parameters<UsageStore['modules']>[0]): ReturnType<UsageStore['modules']> {
    return this.#book.modules(question);
  }

  tags(question: Parameters<UsageStore['tags']>[0]): ReturnType<UsageStore['tags']> {
    return this.#book.tags(question);
  }

  budgetHours(question: Parameters<UsageStore['budgetHours']>[0]): ReturnType<UsageStore['budgetHours']> {
    return this.#book.budgetHours(question);
  }

  sums(question: Parameters<UsageStore['sums']>[0]): ReturnType<UsageStore['sums']> {
    return this.#book.sums(question);
  }

  async reserve(reservations: readonly Reservation[]): Promise<void> {
    this.reserves++;
    await this.beforeReserve(reservations);
    await this.#book.reserve(reservations);
  }

  endReservations(nowMs: number): ReturnType<UsageStore['endReservations']> {
    return this.#book.endReservations(nowMs);
  }

  reserved(question: Parameters<UsageStore['reserved']>[0]): ReturnType<UsageStore['reserved']> {
    return this.#book.reserved(question);
  }

  async quotaUsage(accountId: string, periodStartMs: number): Promise<QuotaUsage> {
    this.counts++;
    const calls = await this.#book.quotaUsage(accountId, periodStartMs);
    await this.afterCounted();
    return calls;
  }
}
