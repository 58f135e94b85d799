import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../kernel/limits.ts';
import type {
  LoggedCall,
  LogPage,
  LogQuestion,
  LogSums,
  RequestLog,
  SumsQuestion,
} from '../../kernel/ports/request-log.ts';
import { isUnavailable } from '../../kernel/ports/unavailable.ts';
import { WriteBehind } from '../../kernel/write-behind.ts';
import type { EndedCall } from '../ended-call.ts';
import { Batch } from './batch.ts';
import type { FoundPage } from './found-page.ts';
import type { Journal } from './journal.ts';
import { loggedCall } from './logged-call.ts';

interface RecorderParts {
  readonly log: RequestLog;
  /** Keeps calls that are not stored yet from being lost with the process; undefined where they are. */
  readonly journal?: Journal | undefined;
  /** Told of every try to store that failed; it is made again. */
  readonly onError?: (error: unknown) => void;
  /** Told once for each time that calls begin to be left out, because too many wait or the log refuses them. */
  readonly onDrop?: () => void;
  readonly flushMs?: number;
  readonly rowsMax?: number;
}

/** Gathers calls in memory and stores them soon after, away from the calls. */
export class RequestRecorder {
  readonly #log: RequestLog;
  readonly #journal: Journal | undefined;
  readonly #onError: RecorderParts['onError'];
  readonly #rows: WriteBehind<Batch>;

  constructor({ log, journal, onError, onDrop, flushMs, rowsMax }: RecorderParts) {
    this.#log = log;
    this.#journal = journal;
    this.#onError = onError;
    this.#rows = new WriteBehind<Batch>({
      begin: () => new Batch(log, journal),
      store: async (batch) => {
        await log.addPacked(batch.packs());
        await batch.remove();
      },
      flushMs: flushMs ?? limits.requestLogFlushMs,
      retryMsMax: limits.requestLogRetryMsMax,
      waitingMax: rowsMax ?? limits.requestLogRowsWaiting,
      giveUp: {
        isRefusal,
        refusalsMax: limits.requestLogRefusalsMax,
        onGivenUp: (batch) => void batch.remove(),
      },
      onError,
      onDrop,
    });
  }

  /** Calls that are not stored yet. */
  get waiting(): number {
    return this.#rows.waiting;
  }

  /** Calls that were left out since the start. */
  get dropped(): number {
    return this.#rows.dropped;
  }

  /** Whether the log takes nothing at the moment. */
  get isAway(): boolean {
    return this.#rows.isAway;
  }

  record(call: EndedCall): void {
    if (!this.#rows.hasRoom()) return;
    const batch = this.#rows.filling;
    batch.add(loggedCall(call));
    this.#rows.grown(batch.size);
    if (batch.size >= limits.requestLogRowsAtOnce) this.#rows.full();
  }

  /** Stores what processes that were killed had recorded. What the log can't take now is there at the next start. */
  async recover(): Promise<void> {
    const pages = (await this.#journal?.found()) ?? [];
    if (pages.length === 0) return;
    try {
      for (const page of pages) {
        await this.#storeLines(page);
        await page.remove();
      }
      // A process that lives may have written to them until it saw that they are gone.
      await sleep(limits.journalLastLinesMs);
      for (const page of pages) await this.#storeLines(page);
    } catch (error) {
      this.#onError?.(error);
    } finally {
      await Promise.all(pages.map((page) => page.close()));
    }
  }

  /** Stores what was recorded until now, trying again until the time is over. False where some could not be stored. */
  flush(withinMs: number): Promise<boolean> {
    return this.#rows.flush(withinMs);
  }

  /** With the calls that this process recorded until now, unless they can't be stored soon. */
  async page(question: LogQuestion): Promise<LogPage> {
    await this.flush(limits.requestLogReadFlushMs);
    return this.#log.page(question);
  }

  async sums(question: SumsQuestion): Promise<LogSums> {
    await this.flush(limits.requestLogReadFlushMs);
    return this.#log.sums(question);
  }

  async find(id: string, accountId: string | undefined): Promise<LoggedCall | undefined> {
    await this.flush(limits.requestLogReadFlushMs);
    return this.#log.find(id, accountId);
  }

  async #storeLines(page: FoundPage): Promise<void> {
    const packs = (await page.lines()).filter((line) => this.#log.isPack(line));
    try {
      if (packs.length > 0) await this.#log.addPacked(packs);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#onError?.(error);
    }
  }
}

/** Whether the log looked at the calls and refused them, which trying again hardly changes; else it didn't answer. */
function isRefusal(error: unknown): boolean {
  return !isUnavailable(error);
}
