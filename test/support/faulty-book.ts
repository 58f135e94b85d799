import type { CountedCalls, Reservation, UsageBatch, UsageBook } from '../../src/kernel/ports/records.ts';

/** A usage book that a test can come between. */
export class FaultyBook implements UsageBook {
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
  readonly #book: UsageBook;

  constructor(book: UsageBook) {
    this.#book = book;
  }

  async add(batch: UsageBatch): Promise<readonly string[]> {
    this.adds++;
    await this.beforeAdd(batch);
    const paid = await this.#book.add(batch);
    await this.afterAdd(batch);
    return paid;
  }

  days(question: Parameters<UsageBook['days']>[0]): ReturnType<UsageBook['days']> {
    return this.#book.days(question);
  }

  modules(question: Parameters<UsageBook['modules']>[0]): ReturnType<UsageBook['modules']> {
    return this.#book.modules(question);
  }

  async reserve(reservations: readonly Reservation[]): Promise<void> {
    this.reserves++;
    await this.beforeReserve(reservations);
    await this.#book.reserve(reservations);
  }

  reserved(question: Parameters<UsageBook['reserved']>[0]): ReturnType<UsageBook['reserved']> {
    return this.#book.reserved(question);
  }

  async counted(accountId: string, periodStartMs: number): Promise<CountedCalls> {
    this.counts++;
    const calls = await this.#book.counted(accountId, periodStartMs);
    await this.afterCounted();
    return calls;
  }
}
