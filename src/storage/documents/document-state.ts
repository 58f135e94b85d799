import type { Budgets } from '../../kernel/ports/budget.ts';
import type { CallRates } from '../../kernel/ports/call-rates.ts';
import type { Counters } from '../../kernel/ports/counters.ts';
import type { HealthBoard } from '../../kernel/ports/health.ts';
import type { SharedDocuments } from '../../kernel/ports/shared-documents.ts';
import type { RateLimiter, SharedState, Slots, Versions } from '../../kernel/ports/shared-state.ts';
import type { Clock } from '../../lib/clock.ts';
import { limits } from '../limits.ts';
import { DocumentBudgets } from './document-budgets.ts';
import { DocumentCallRates } from './document-call-rates.ts';
import { DocumentChanges } from './document-changes.ts';
import { counterPrefix, DocumentCounters } from './document-counters.ts';
import { DocumentRateLimiter } from './document-rate-limiter.ts';
import { DocumentSlots } from './document-slots.ts';

interface DocumentStateParts {
  readonly documents: SharedDocuments;
  readonly clock: Clock;
  /** Calls go on without it. */
  readonly health: HealthBoard;
  ping(): Promise<void>;
}

/** Shared state and budgets in the database, for replicas that go on without Redis. */
export class DocumentState implements SharedState {
  readonly slots: Slots;
  readonly versions: Versions;
  readonly rateLimiter: RateLimiter;
  readonly health: HealthBoard;
  readonly counters: Counters;
  readonly callRates: CallRates;
  readonly budgets: Budgets;
  readonly #parts: DocumentStateParts;
  readonly #timer: NodeJS.Timeout;

  constructor(parts: DocumentStateParts) {
    this.#parts = parts;
    const { documents, clock, health } = parts;
    const slots = new DocumentSlots(new DocumentChanges(documents, clock), clock);
    this.slots = slots;
    this.versions = slots;
    this.rateLimiter = new DocumentRateLimiter(new DocumentChanges(documents, clock), clock);
    this.health = health;
    this.counters = new DocumentCounters(new DocumentChanges(documents, clock), clock);
    this.callRates = new DocumentCallRates(new DocumentChanges(documents, clock), clock);
    this.budgets = new DocumentBudgets(new DocumentChanges(documents, clock), clock);
    // What could not be deleted is deleted next time.
    const deleteExpired = () => documents.deleteExpired(clock.now()).catch(() => undefined);
    this.#timer = setInterval(() => void deleteExpired(), limits.documentTidyMs).unref();
  }

  /** Deletes the counts of an account and of the modules that ran for it. */
  async erase(accountId: string, scopes: readonly string[]): Promise<void> {
    const { documents } = this.#parts;
    await documents.delete(`account ${accountId}`);
    for (const prefix of [
      `budget ${accountId} `,
      ...scopes.flatMap((scope) =>
        (['count', 'slots', 'rate'] as const).map((kind) => counterPrefix(kind, scope)),
      ),
    ])
      await documents.deleteByPrefix(prefix);
  }

  ping(): Promise<void> {
    return this.#parts.ping();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
  }
}
