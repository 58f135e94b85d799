import type { Sealer } from '../../accounts/sealer.ts';
import { limits as kernelLimits } from '../../kernel/limits.ts';
import type {
  RecordingListItem,
  RecordingMode,
  RecordingPage,
  RecordingQuery,
  RecordingRow,
  RecordingSearch,
  RecordingTable,
} from '../../kernel/ports/recordings.ts';
import { isStorageUnavailable } from '../../kernel/ports/storage-unavailable.ts';
import { firstIdAt } from '../../kernel/request-id.ts';
import { WriteBehind } from '../../kernel/write-behind.ts';
import type { Clock } from '../../lib/clock.ts';
import type { CallerIdentity } from '../caller-authenticator.ts';
import { limits } from '../limits.ts';
import type { LocalSetting } from '../local-setting.ts';
import { OpenRecording, type RecordingStart } from './open-recording.ts';
import { packRecordedCall, type RecordedCall, unpackRecordedCall } from './recorded-call.ts';
import { isRecorded, type RecordingPolicy } from './recording-policy.ts';

interface CallRecordingsParts {
  readonly table: RecordingTable;
  readonly clock: Clock;
  /** Encrypts the recordings. */
  readonly sealing: Sealer;
  readonly policy: RecordingPolicy;
  /** What the user of a local gateway chose, which counts unless the policy has a mode. */
  readonly localMode?: Pick<LocalSetting<RecordingMode>, 'current'> | undefined;
  /** Limit for one account. */
  readonly bytesMax: number;
  /** Called for every failed attempt to store; it is retried. */
  onError(failure: unknown): void;
  onRecovered?(ms: number): void;
  /** Called each time that recordings start to be dropped. */
  onDrop(): void;
}

interface WaitingRecording {
  readonly id: string;
  readonly accountId: string;
  readonly recordedCall: RecordedCall;
  readonly heldBytes: number;
}

interface Batch {
  readonly recordings: WaitingRecording[];
  heldBytes: number;
  /** Retries store the same rows. */
  rows?: Promise<readonly RecordingRow[]>;
}

type RecordedCaller = Pick<CallerIdentity, 'caller' | 'key' | 'accountId'>;
type NewCall = Omit<RecordingStart, 'accountId' | 'keyId'>;

/** Recorded calls: compressed and sealed in the background, and limited in memory, size and age. */
export class CallRecordings {
  readonly #parts: CallRecordingsParts;
  readonly #batches: WriteBehind<Batch>;
  #heldBytes = 0;
  #unopened = 0;

  constructor(parts: CallRecordingsParts) {
    this.#parts = parts;
    this.#batches = new WriteBehind<Batch>({
      createBatch: () => ({ recordings: [], heldBytes: 0 }),
      store: (batch) => this.#store(batch),
      flushMs: limits.recordingFlushMs,
      retryMsMax: limits.recordingRetryMsMax,
      giveUp: {
        isRejection: (error) => !isStorageUnavailable(error),
        rejectionsMax: kernelLimits.requestLogRefusalsMax,
        onGivenUp: ({ heldBytes }) => this.#release(heldBytes),
      },
      onError: (error) => parts.onError(error),
      onDrop: () => parts.onDrop(),
      onRecovered: (ms) => parts.onRecovered?.(ms),
    });
  }

  /** Bytes of recordings in memory. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Recordings lost since the start. */
  get dropped(): number {
    return this.#unopened + this.#batches.dropped;
  }

  /** Undefined if the call is not recorded. Never throws. Synchronous unless the mode has to be read. */
  open(
    identity: RecordedCaller,
    call: NewCall,
  ): OpenRecording | undefined | Promise<OpenRecording | undefined> {
    const { policy, localMode, onError } = this.#parts;
    try {
      const mode =
        policy.mode === undefined && identity.caller.kind === 'local' ? localMode?.current() : policy.mode;
      if (!(mode instanceof Promise)) return this.#openIfRecorded(mode, identity, call);
      return mode
        .then((read) => this.#openIfRecorded(read, identity, call))
        .catch((fault) => void onError(fault));
    } catch (fault) {
      onError(fault);
      return undefined;
    }
  }

  #openIfRecorded(
    mode: RecordingMode | undefined,
    identity: RecordedCaller,
    call: NewCall,
  ): OpenRecording | undefined {
    const { policy } = this.#parts;
    return isRecorded({ ...policy, mode }, identity, call) ? this.#open(identity, call) : undefined;
  }

  #open(identity: RecordedCaller, call: NewCall): OpenRecording | undefined {
    const { id } = call;
    const { accountId, key } = identity;
    let heldBytes = OpenRecording.bytesOf(call.clientRequest);
    if (!this.#reserve(heldBytes)) {
      if (this.#unopened++ === 0) this.#parts.onDrop();
      return undefined;
    }
    return new OpenRecording({
      ...call,
      accountId,
      keyId: key?.keyId ?? null,
      reserve: (bytes) => {
        if (!this.#reserve(bytes)) return false;
        heldBytes += bytes;
        return true;
      },
      onError: (fault) => this.#parts.onError(fault),
      onClose: (recordedCall) => this.#add({ id, accountId, recordedCall, heldBytes }),
    });
  }

  /** Undefined if the account has no such recording, or it has expired. */
  async find(accountId: string, id: string): Promise<RecordedCall | undefined> {
    if (id < this.#oldestId) return undefined;
    await this.flush(limits.recordingReadFlushMs);
    const row = await this.#parts.table.find(accountId, id);
    const packed = row && this.#parts.sealing.openBytes(row, contextOf(row));
    return packed && unpackRecordedCall(packed);
  }

  /** The newest first. */
  async page(query: Omit<RecordingQuery, 'fromId'>): Promise<readonly RecordingListItem[]> {
    await this.flush(limits.recordingReadFlushMs);
    return this.#parts.table.page({ ...query, fromId: this.#oldestId });
  }

  /** With the log's rows of the calls: those of earlier calls are stored. */
  async search(search: RecordingSearch): Promise<RecordingPage> {
    await this.flush(limits.recordingReadFlushMs);
    const fromId = search.fromId > this.#oldestId ? search.fromId : this.#oldestId;
    return this.#parts.table.search({ ...search, fromId });
  }

  /** All recordings of an account, the newest first. */
  async *all(accountId: string): AsyncIterable<{ readonly id: string; readonly recordedCall: RecordedCall }> {
    const limit = limits.recordingsAtOnce;
    for (let beforeId: string | undefined; ; ) {
      const page = await this.page({ accountId, beforeId, limit });
      for (const { id } of page) {
        const recordedCall = await this.find(accountId, id);
        if (recordedCall !== undefined) yield { id, recordedCall };
      }
      if (page.length < limit) return;
      beforeId = page.at(-1)?.id;
    }
  }

  async remove(accountId: string, id: string): Promise<boolean> {
    await this.flush(limits.recordingReadFlushMs);
    return this.#parts.table.remove(accountId, id);
  }

  /** Deletes all recordings of an account. */
  async forget(accountId: string): Promise<void> {
    await this.flush(limits.recordingReadFlushMs);
    await this.#parts.table.forget(accountId);
  }

  /** When a recording is deleted. */
  expiryOf(createdAtMs: number): number {
    return createdAtMs + this.#parts.policy.retentionMs;
  }

  /** Stores what was recorded until now, with retries until the timeout. False if some could not be stored. */
  flush(withinMs: number): Promise<boolean> {
    return this.#batches.waiting === 0 ? Promise.resolve(true) : this.#batches.flush(withinMs);
  }

  /** Like `flush`, including what is recorded meanwhile. */
  drain(withinMs: number): Promise<boolean> {
    return this.#batches.drain(withinMs);
  }

  /** The first id that has not expired. */
  get #oldestId(): string {
    return firstIdAt(this.#parts.clock.now() - this.#parts.policy.retentionMs);
  }

  #add(recording: WaitingRecording): void {
    const batch = this.#batches.filling;
    batch.heldBytes += recording.heldBytes;
    this.#batches.setSize(batch.recordings.push(recording));
    if (batch.recordings.length >= limits.recordingsAtOnce) this.#batches.sealAndStore();
  }

  async #store(batch: Batch): Promise<void> {
    batch.rows ??= Promise.all(batch.recordings.map((recording) => this.#seal(recording)));
    await this.#parts.table.add(await batch.rows, this.#parts.bytesMax);
    this.#release(batch.heldBytes);
  }

  async #seal({ id, accountId, recordedCall }: WaitingRecording): Promise<RecordingRow> {
    const packed = await packRecordedCall(recordedCall);
    return { id, accountId, ...this.#parts.sealing.seal(packed, contextOf({ id, accountId })) };
  }

  #reserve(bytes: number): boolean {
    if (this.#heldBytes + bytes > limits.recordingBytesHeldMax) return false;
    this.#heldBytes += bytes;
    return true;
  }

  #release(bytes: number): void {
    this.#heldBytes -= bytes;
  }
}

function contextOf({ accountId, id }: Pick<RecordingRow, 'accountId' | 'id'>): string {
  return `recording\n${accountId}\n${id}`;
}
