import { randomUUID } from 'node:crypto';
import { limits as kernelLimits } from '../../kernel/limits.ts';
import { storageUnavailable } from '../../kernel/ports/storage-unavailable.ts';
import { isRequestId, timeOfId } from '../../kernel/request-id.ts';
import { WriteBehind } from '../../kernel/write-behind.ts';
import type { EndedCall } from '../ended-call.ts';
import { limits } from '../limits.ts';
import type { Journal } from '../request-log/journal.ts';
import { toLoggedCall } from '../request-log/logged-call.ts';
import { type BatchStart, SinkBatch } from './sink-batch.ts';
import { toSinkLine } from './sink-line.ts';

/** A system that takes calls in batches. */
export interface SinkTarget {
  readonly name: string;
  /** How long calls wait for others, and how many are sent together. */
  readonly flushMs: number;
  readonly callsAtOnce: number;
  /** Whether it keeps calls on this machine. */
  readonly isLocal?: true;
  /** Sends a batch, once or again. */
  send(batch: SentBatch): Promise<void>;
}

export interface SentBatch {
  /** The same for every attempt, and for no other batch. */
  readonly id: string;
  /** When its first call arrived. */
  readonly atMs: number;
  /** Lines of JSON. */
  readonly text: string;
}

interface SinkParts {
  readonly target: SinkTarget;
  /** Saves unsent calls from a killed process; without it they are lost. */
  readonly journal?: Journal | undefined;
  /** Called for every failed attempt; it is repeated. */
  readonly onError?: (error: unknown) => void;
  /** Called once each time calls start being dropped. */
  readonly onDrop?: () => void;
  readonly bytesMax?: number;
  readonly flushMs?: number;
}

/** Sends every call to another system, in the background: at least once, from a bounded buffer in memory and its journal. */
export class LogSink {
  /** Whether it keeps calls on this machine. */
  readonly isLocal: boolean;
  readonly #batches: WriteBehind<SinkBatch>;
  readonly #callsAtOnce: number;
  readonly #journal: Journal | undefined;
  readonly #onError: SinkParts['onError'];

  constructor({ target, journal, onError, onDrop, bytesMax, flushMs }: SinkParts) {
    this.isLocal = target.isLocal === true;
    this.#callsAtOnce = target.callsAtOnce;
    this.#journal = journal;
    this.#onError = onError;
    this.#batches = new WriteBehind<SinkBatch>({
      createBatch: () => new SinkBatch(journal),
      store: async (batch) => {
        const { start, lines } = batch;
        if (start !== undefined) await target.send({ ...start, text: `${lines.join('\n')}\n` });
        await batch.remove();
      },
      flushMs: flushMs ?? target.flushMs,
      retryMsMax: limits.logSinkRetryMsMax,
      waitingMax: bytesMax ?? limits.requestLogBytesWaiting,
      giveUp: {
        isRejection: (error) => error instanceof RejectedBatchError,
        rejectionsMax: kernelLimits.requestLogRefusalsMax,
        onGivenUp: (batch) => void batch.remove(),
      },
      onError,
      onDrop,
    });
  }

  /** The number of calls not sent yet. */
  get waiting(): number {
    return this.#batches.waiting;
  }

  /** The number of calls dropped since the start. */
  get dropped(): number {
    return this.#batches.dropped;
  }

  record(call: EndedCall): void {
    if (!this.#batches.hasRoom()) return;
    const loggedCall = toLoggedCall(call);
    this.#add(toSinkLine(loggedCall), loggedCall);
  }

  /** Takes over the calls that killed processes had not sent. What does not fit into memory waits for the next start. */
  async recover(): Promise<void> {
    // A process that still lives may send the same calls under their first id.
    const suffix = randomUUID().slice(0, 8);
    try {
      await this.#journal?.recover(async (lines) => {
        if (this.#batches.isFull) throw storageUnavailable('too many calls wait to be sent');
        for (const line of lines) {
          const id = idOf(line);
          if (id !== undefined) this.#add(line, { id: `${id}-${suffix}`, atMs: timeOfId(id) });
        }
      });
    } catch (error) {
      this.#onError?.(error);
    }
  }

  #add(line: string, start: BatchStart): void {
    const batch = this.#batches.filling;
    batch.add(line, { id: start.id, atMs: start.atMs });
    this.#batches.setSize(batch.lines.length, batch.bytes);
    if (batch.lines.length >= this.#callsAtOnce) this.#batches.sealAndStore();
  }

  /** Sends all calls, with retries until the time is up. False if some could not be sent. */
  flush(withinMs: number): Promise<boolean> {
    return this.#batches.flush(withinMs);
  }
}

/** The call of a line; undefined if it is damaged. */
function idOf(line: string): string | undefined {
  try {
    const { id } = JSON.parse(line);
    return isRequestId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

class RejectedBatchError extends Error {}

/** Statuses of a batch that will never be accepted. All others, such as a wrong password, are repeated. */
const rejectedStatuses = new Set([400, 413, 422]);

/** Throws unless the system took the batch. */
export function checkAccepted(name: string, status: number): void {
  if (status >= 200 && status < 300) return;
  const message = `${name} answered ${status}`;
  throw rejectedStatuses.has(status) ? new RejectedBatchError(message) : storageUnavailable(message);
}
