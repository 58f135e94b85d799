import { limits as kernelLimits } from '../../kernel/limits.ts';
import type {
  ConversationSums,
  ConversationsPage,
  ConversationsQuery,
  EndUserSums,
  EndUsersQuery,
  ErrorSums,
  LogErrorsQuery,
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
import { limits } from '../limits.ts';
import { CallBatch } from './call-batch.ts';
import type { Journal } from './journal.ts';
import { toLoggedCall } from './logged-call.ts';
import { type RowSampling, weightOf } from './row-sampling.ts';

interface RecorderParts {
  readonly log: RequestLog;
  /** Saves unstored calls from a killed process; without it they are lost. */
  readonly journal?: Journal | undefined;
  /** Called for every failed attempt to store; it is retried. */
  readonly onError?: (error: unknown) => void;
  /** Called once each time calls start being dropped, because too many are waiting or the log rejects them. */
  readonly onDrop?: () => void;
  readonly onRecovered?: (ms: number) => void;
  readonly flushMs?: number;
  readonly bytesMax?: number;
  /** Which calls get a row; all by default. */
  readonly sampling?: RowSampling;
}

/** Buffers calls in memory and stores them in the background. */
export class RequestRecorder {
  readonly #log: RequestLog;
  readonly #journal: Journal | undefined;
  readonly #onError: RecorderParts['onError'];
  readonly #sampling: RowSampling;
  readonly #batches: WriteBehind<CallBatch>;

  constructor({ log, journal, onError, onDrop, onRecovered, flushMs, bytesMax, sampling }: RecorderParts) {
    this.#log = log;
    this.#journal = journal;
    this.#onError = onError;
    this.#sampling = sampling ?? { share: 1, keptNanoUsd: 0 };
    this.#batches = new WriteBehind<CallBatch>({
      createBatch: () => new CallBatch(log, journal),
      store: async (callBatch) => {
        await log.addPacked(callBatch.packs());
        await callBatch.remove();
      },
      flushMs: flushMs ?? limits.requestLogFlushMs,
      retryMsMax: limits.requestLogRetryMsMax,
      waitingMax: bytesMax ?? limits.requestLogBytesWaiting,
      giveUp: {
        isRejection: isRejectedByLog,
        rejectionsMax: kernelLimits.requestLogRefusalsMax,
        onGivenUp: (callBatch) => void callBatch.remove(),
      },
      onError,
      onDrop,
      onRecovered,
    });
  }

  /** The number of calls not stored yet. */
  get waiting(): number {
    return this.#batches.waiting;
  }

  /** How long the oldest of them has waited. */
  get oldestMs(): number {
    return this.#batches.oldestMs;
  }

  /** The number of calls dropped since the start. */
  get dropped(): number {
    return this.#batches.dropped;
  }

  /** Whether the log is unavailable at the moment. */
  get isUnavailable(): boolean {
    return this.#batches.isStoreUnavailable;
  }

  record(call: EndedCall): void {
    if (!this.#batches.hasRoom()) return;
    const callBatch = this.#batches.filling;
    callBatch.add(toLoggedCall(call, weightOf(call, this.#sampling)));
    this.#batches.setSize(callBatch.size, callBatch.bytes);
    if (callBatch.size >= this.#log.rowsAtOnce) this.#batches.sealAndStore();
  }

  /** Stores the calls that killed processes had recorded. If the log is unavailable, the next start retries. */
  async recover(): Promise<void> {
    try {
      await this.#journal?.recover((lines) => this.#storeLines(lines));
    } catch (error) {
      this.#onError?.(error);
    }
  }

  /** Stores all recorded calls, with retries until the time is up. False if some could not be stored. */
  flush(withinMs: number): Promise<boolean> {
    return this.#batches.flush(withinMs);
  }

  /** Includes the calls that this process has recorded so far, unless storing them takes too long. */
  async page(query: LogQuery): Promise<LogPage> {
    await this.flush(limits.requestLogReadFlushMs);
    return this.#log.page(query);
  }

  async sums(query: LogSumsQuery): Promise<LogSums> {
    await this.flush(limits.requestLogReadFlushMs);
    return this.#log.sums(query);
  }

  async errors(query: LogErrorsQuery): Promise<readonly ErrorSums[]> {
    await this.flush(limits.requestLogReadFlushMs);
    return this.#log.errors(query);
  }

  async endUsers(query: EndUsersQuery): Promise<readonly EndUserSums[]> {
    await this.flush(limits.requestLogReadFlushMs);
    return this.#log.endUsers(query);
  }

  async conversations(query: ConversationsQuery): Promise<ConversationsPage> {
    await this.flush(limits.requestLogReadFlushMs);
    return this.#log.conversations(query);
  }

  async conversation(name: string, accountId: string | undefined): Promise<ConversationSums | undefined> {
    await this.flush(limits.requestLogReadFlushMs);
    return this.#log.conversation(name, accountId);
  }

  async find(id: string, accountId: string | undefined): Promise<LoggedCall | undefined> {
    await this.flush(limits.requestLogReadFlushMs);
    return this.#log.find(id, accountId);
  }

  async #storeLines(lines: readonly string[]): Promise<void> {
    const packs = lines.flatMap((line) => this.#log.readPack(line) ?? []);
    try {
      if (packs.length > 0) await this.#log.addPacked(packs);
    } catch (error) {
      if (!isRejectedByLog(error)) throw error;
      this.#onError?.(error);
    }
  }
}

/** Whether the log rejected the calls, so that a retry is useless; otherwise it did not answer. */
function isRejectedByLog(error: unknown): boolean {
  return !isStorageUnavailable(error);
}
