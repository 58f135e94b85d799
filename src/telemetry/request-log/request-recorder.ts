import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../kernel/limits.ts';
import type {
  LoggedCall,
  LogPage,
  LogQuery,
  LogSums,
  LogSumsQuery,
  RequestLog,
} from '../../kernel/ports/request-log.ts';
import { isStorageUnavailable } from '../../kernel/ports/storage-unavailable.ts';
import { WriteBehind } from '../../kernel/write-behind.ts';
import type { EndedCall } from '../ended-call.ts';
import { CallBatch } from './call-batch.ts';
import type { Journal } from './journal.ts';
import { toLoggedCall } from './logged-call.ts';
import type { RecoveredSegment } from './recovered-segment.ts';

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
  readonly #batches: WriteBehind<CallBatch>;

  constructor({ log, journal, onError, onDrop, flushMs, rowsMax }: RecorderParts) {
    this.#log = log;
    this.#journal = journal;
    this.#onError = onError;
    this.#batches = new WriteBehind<CallBatch>({
      createBatch: () => new CallBatch(log, journal),
      store: async (callBatch) => {
        await log.addPacked(callBatch.packs());
        await callBatch.remove();
      },
      flushMs: flushMs ?? limits.requestLogFlushMs,
      retryMsMax: limits.requestLogRetryMsMax,
      waitingMax: rowsMax ?? limits.requestLogRowsWaiting,
      giveUp: {
        isRejection: isRejectedByLog,
        rejectionsMax: limits.requestLogRefusalsMax,
        onGivenUp: (callBatch) => void callBatch.remove(),
      },
      onError,
      onDrop,
    });
  }

  /** Calls that are not stored yet. */
  get waiting(): number {
    return this.#batches.waiting;
  }

  /** Calls that were left out since the start. */
  get dropped(): number {
    return this.#batches.dropped;
  }

  /** Whether the log takes nothing at the moment. */
  get isUnavailable(): boolean {
    return this.#batches.isStoreUnavailable;
  }

  record(call: EndedCall): void {
    if (!this.#batches.hasRoom()) return;
    const callBatch = this.#batches.filling;
    callBatch.add(toLoggedCall(call));
    this.#batches.setSize(callBatch.size);
    if (callBatch.size >= limits.requestLogRowsAtOnce) this.#batches.sealAndStore();
  }

  /** Stores what processes that were killed had recorded. What the log can't take now is there at the next start. */
  async recover(): Promise<void> {
    const pages = (await this.#journal?.recoverSegments()) ?? [];
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
    return this.#batches.flush(withinMs);
  }

  /** With the calls that this process recorded until now, unless they can't be stored soon. */
  async page(question: LogQuery): Promise<LogPage> {
    await this.flush(limits.requestLogReadFlushMs);
    return this.#log.page(question);
  }

  async sums(question: LogSumsQuery): Promise<LogSums> {
    await this.flush(limits.requestLogReadFlushMs);
    return this.#log.sums(question);
  }

  async find(id: string, accountId: string | undefined): Promise<LoggedCall | undefined> {
    await this.flush(limits.requestLogReadFlushMs);
    return this.#log.find(id, accountId);
  }

  async #storeLines(page: RecoveredSegment): Promise<void> {
    const packs = (await page.lines()).filter((line) => this.#log.isPack(line));
    try {
      if (packs.length > 0) await this.#log.addPacked(packs);
    } catch (error) {
      if (!isRejectedByLog(error)) throw error;
      this.#onError?.(error);
    }
  }
}

/** Whether the log looked at the calls and refused them, which trying again hardly changes; else it didn't answer. */
function isRejectedByLog(error: unknown): boolean {
  return !isStorageUnavailable(error);
}
