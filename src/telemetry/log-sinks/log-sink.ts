import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { limits as kernelLimits } from '../../kernel/limits.ts';
import { storageUnavailable } from '../../kernel/ports/storage-unavailable.ts';
import { WriteBehind } from '../../kernel/write-behind.ts';
import type { EndedCall } from '../ended-call.ts';
import { limits } from '../limits.ts';
import { toLoggedCall } from '../request-log/logged-call.ts';
import { toSinkLine } from './sink-line.ts';

/** A system that takes calls in batches. */
export interface SinkTarget {
  readonly name: string;
  /** How long calls wait for others, and how many are sent together. */
  readonly flushMs: number;
  readonly callsAtOnce: number;
  /** Sends a batch, once or again. Resolves to the status of the response. */
  send(batch: SinkBody): Promise<number>;
}

interface SinkBody {
  /** The id of its first call: the same for every attempt, and for no other batch. */
  readonly id: string;
  readonly atMs: number;
  /** Lines of JSON, compressed by gzip. */
  readonly body: Uint8Array;
}

interface SinkBatch {
  readonly lines: string[];
  first: { readonly id: string; readonly atMs: number } | undefined;
  bytes: number;
}

interface SinkParts {
  readonly target: SinkTarget;
  /** Called for every failed attempt; it is repeated. */
  readonly onError?: (error: unknown) => void;
  /** Called once each time calls start being dropped. */
  readonly onDrop?: () => void;
  readonly bytesMax?: number;
  readonly flushMs?: number;
}

/**
 * Sends every call to another system, in the background: at least once, from a bounded buffer in memory. Calls that were not
 * sent when the process was killed are lost there; they are in the request log.
 */
export class LogSink {
  readonly #batches: WriteBehind<SinkBatch>;
  readonly #callsAtOnce: number;

  constructor({ target, onError, onDrop, bytesMax, flushMs }: SinkParts) {
    this.#callsAtOnce = target.callsAtOnce;
    this.#batches = new WriteBehind<SinkBatch>({
      createBatch: () => ({ lines: [], first: undefined, bytes: 0 }),
      store: (batch) => send(target, batch),
      flushMs: flushMs ?? target.flushMs,
      retryMsMax: limits.logSinkRetryMsMax,
      waitingMax: bytesMax ?? limits.requestLogBytesWaiting,
      giveUp: {
        isRejection: (error) => error instanceof RejectedBatchError,
        rejectionsMax: kernelLimits.requestLogRefusalsMax,
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
    const batch = this.#batches.filling;
    const loggedCall = toLoggedCall(call);
    const line = toSinkLine(loggedCall);
    batch.first ??= loggedCall;
    batch.lines.push(line);
    batch.bytes += line.length;
    this.#batches.setSize(batch.lines.length, batch.bytes);
    if (batch.lines.length >= this.#callsAtOnce) this.#batches.sealAndStore();
  }

  /** Sends all calls, with retries until the time is up. False if some could not be sent. */
  flush(withinMs: number): Promise<boolean> {
    return this.#batches.flush(withinMs);
  }
}

class RejectedBatchError extends Error {}

/** Statuses of a batch that will never be accepted. All others, such as a wrong password, are repeated. */
const rejectedStatuses = new Set([400, 413, 422]);

async function send(target: SinkTarget, { lines, first }: SinkBatch): Promise<void> {
  if (first === undefined) return;
  const body = await promisify(gzip)(`${lines.join('\n')}\n`);
  const status = await target.send({ id: first.id, atMs: first.atMs, body });
  if (status >= 200 && status < 300) return;
  const message = `${target.name} answered ${status}`;
  throw rejectedStatuses.has(status) ? new RejectedBatchError(message) : storageUnavailable(message);
}
