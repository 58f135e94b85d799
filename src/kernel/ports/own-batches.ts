import type { NanoUsd } from '../money.ts';

/** A file with calls that the gateway keeps for its own batches. */
export interface CallFile {
  readonly id: string;
  readonly accountId: string;
  /** The path of all of its calls. */
  readonly callPath: string;
  /** The models that they name, without repetitions. */
  readonly models: readonly string[];
  readonly calls: number;
  readonly bytes: number;
  readonly madeAtMs: number;
  /** When it is deleted. */
  readonly expiresAtMs: number;
}

/** One call of a file, or its result, numbered from 0. */
export interface SealedLine {
  readonly number: number;
  readonly sealedBy: string;
  readonly sealed: Uint8Array;
}

/** `cancelling` until the calls under way have ended; the last three are final. */
export type OwnBatchState = 'in_progress' | 'cancelling' | 'completed' | 'expired' | 'cancelled';

/** A batch that the gateway runs itself, call by call. */
export interface OwnBatch {
  readonly id: string;
  readonly accountId: string;
  readonly fileId: string;
  readonly state: OwnBatchState;
  /** Who made it and with which headers, sealed. */
  readonly sealedBy: string;
  readonly sealed: Uint8Array;
  readonly calls: number;
  /** Calls with an answer, and those that failed for good. */
  readonly completed: number;
  readonly failed: number;
  readonly costNanoUsd: NanoUsd;
  readonly madeAtMs: number;
  /** No call begins after this time. */
  readonly expiresAtMs: number;
  readonly endedAtMs: number | null;
}

/** How a call of a batch ended. */
export interface LineResult extends SealedLine {
  readonly hasAnswer: boolean;
  readonly costNanoUsd: NanoUsd;
}

export interface BatchLease {
  readonly holder: string;
  readonly nowMs: number;
  readonly untilMs: number;
}

/** A call that may be sent: `number` now, or none before `dueAtMs`. */
export type NextLine =
  | { readonly number: number; readonly attempts: number }
  | { readonly dueAtMs: number }
  | undefined;

/** Files of calls, shared by all replicas. */
export interface CallFiles {
  /** Begins a file, whose lines follow. */
  add(file: CallFile): Promise<void>;
  addLines(fileId: string, lines: readonly SealedLine[]): Promise<void>;
  /** The file has all of its lines. */
  complete(file: CallFile): Promise<void>;
  find(accountId: string, id: string): Promise<CallFile | undefined>;
  /** Has a file deleted soon. False while a batch needs it. */
  remove(accountId: string, id: string): Promise<boolean>;
  /** Lines from a number on. */
  lines(fileId: string, from: number, most: number): Promise<readonly SealedLine[]>;
  bytesOf(accountId: string): Promise<number>;
  /** Deletes some files that have expired and that no batch needs; true if there may be more. */
  clean(nowMs: number): Promise<boolean>;
  /** Deletes all of an account. */
  forget(accountId: string): Promise<void>;
}

/** The gateway's own batches, shared by all replicas. */
export interface OwnBatches {
  add(batch: OwnBatch): Promise<void>;
  find(accountId: string, ids: readonly string[]): Promise<readonly OwnBatch[]>;
  /** The newest first. */
  list(accountId: string, most: number): Promise<readonly OwnBatch[]>;
  /** No further call begins. */
  cancel(accountId: string, id: string): Promise<void>;
  /** Leases batches that go on and that nobody has a lease for, one of each account. */
  take(lease: BatchLease & { readonly most: number }): Promise<readonly OwnBatch[]>;
  /** Renews leases; returns the batches that the holder still has. */
  renew(lease: BatchLease, ids: readonly string[]): Promise<readonly OwnBatch[]>;
  /** Gives all leases of a holder back. */
  release(holder: string): Promise<void>;
  /** False if the lease has passed to another process. */
  end(
    batch: Pick<OwnBatch, 'id'>,
    holder: string,
    ending: { readonly state: OwnBatchState; readonly atMs: number },
  ): Promise<boolean>;
  /** The bytes of results. */
  bytesOf(accountId: string): Promise<number>;
  /** Deletes some batches that ended before; true if there may be more. */
  clean(endedMs: number): Promise<boolean>;
  /** Deletes all of an account. */
  forget(accountId: string): Promise<void>;
}

/** The calls of batches that were sent, and their results. */
export interface OwnBatchLines {
  /** The next call that was never sent, or is to be sent again. */
  nextLine(batch: OwnBatch, nowMs: number): Promise<NextLine>;
  /** Marks a call as sent, once, for the holder of a batch that goes on. False if it may not be sent. */
  claim(batch: Pick<OwnBatch, 'id'>, number: number, holder: string): Promise<boolean>;
  /** A call that was claimed has cost nothing, and is sent again later. */
  postpone(batch: Pick<OwnBatch, 'id'>, number: number, dueAtMs: number): Promise<void>;
  /** Stores the end of a call that was claimed; once. */
  finish(batch: Pick<OwnBatch, 'id'>, result: LineResult): Promise<boolean>;
  /** Calls that were claimed and have no end. */
  claimed(batchId: string): Promise<readonly number[]>;
  /** The first calls from a number on that have no end. */
  unfinished(batch: OwnBatch, from: number, most: number): Promise<readonly number[]>;
  /** Stores the ends of calls that were not sent; those that have an end keep it. */
  fill(batch: Pick<OwnBatch, 'id'>, results: readonly LineResult[]): Promise<void>;
  /** Results with an answer, or without, behind a number. */
  results(
    batchId: string,
    hasAnswer: boolean,
    page: { readonly after: number; readonly most: number },
  ): Promise<readonly SealedLine[]>;
  /** Deletes the results of a batch that has ended. */
  remove(batchId: string, hasAnswer: boolean): Promise<void>;
}
