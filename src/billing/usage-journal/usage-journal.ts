import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../kernel/limits.ts';
import type { UsageBatch } from '../../kernel/ports/records.ts';
import { isStorageUnavailable } from '../../kernel/ports/storage-unavailable.ts';
import { BatchFile } from './batch-file.ts';
import { createLock, type FileLock, lockOfDeadProcess } from './file-lock.ts';
import { readJournal } from './journal-format.ts';

interface UsageJournalParts {
  readonly folder: string;
  readonly processId: string;
  /** Called once each time files can't be written: calls continue, but a kill may lose their usage. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Called for every batch that can't be recovered. */
  readonly onRecoveryError?: ((error: unknown) => void) | undefined;
  /** The pause after a failed write. */
  readonly restMs?: number | undefined;
}

/** Names are `<process>.lock`, `<process>.<batch>.journal` and, while it is rewritten, `<process>.<batch>.journal.new`. */
const fileName = /^([\w-]+)\.(?:lock|([\w-]+)\.journal(?:\.new)?)$/;

/** Batches of usage that are not stored yet, in files that survive a killed process. */
export class UsageJournal {
  readonly #parts: UsageJournalParts;
  /** Shows others that this process is alive. */
  #lock: FileLock | undefined;
  #isBroken = false;
  #suspendedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(parts: UsageJournalParts) {
    this.#parts = parts;
  }

  createFile(batchId: string): BatchFile {
    return new BatchFile({
      path: this.#path(`${this.#parts.processId}.${batchId}.journal`),
      canWrite: () => this.#canWrite(),
      onWrite: (error) => this.#onWrite(error),
    });
  }

  /** Stores the batches of dead processes and removes their files. If the store is unavailable, the next start tries again. */
  async recover(store: (batch: UsageBatch) => Promise<void>): Promise<void> {
    for (const processId of new Set(this.#files().map((file) => file.processId)))
      await this.#reportErrors(() => this.#recoverProcess(processId, store));
  }

  /** Call this when all batches are stored; the files of others stay for the next start. */
  close(): void {
    this.#lock?.release();
    this.#lock = undefined;
  }

  async #recoverProcess(processId: string, store: (batch: UsageBatch) => Promise<void>): Promise<void> {
    const lock = lockOfDeadProcess(this.#path(`${processId}.lock`));
    try {
      const files = lock === undefined ? [] : this.#files().filter((file) => file.processId === processId);
      for (const { name, batchId } of files)
        if (name.endsWith('.journal'))
          await this.#reportErrors(() => this.#recoverBatch(name, batchId, store));
        else if (name.endsWith('.new')) rmSync(this.#path(name), { force: true });
    } finally {
      lock?.release();
    }
  }

  /** A batch that can't be read, or that the store rejects, is set aside. */
  async #recoverBatch(name: string, id: string, store: (batch: UsageBatch) => Promise<void>): Promise<void> {
    const path = this.#path(name);
    try {
      // The time of its last change: the store remembers stored batches for a while from then on.
      const atMs = Math.floor(statSync(path).mtimeMs);
      await store({ ...readJournal(readFileSync(path, 'utf8')), id, atMs });
      rmSync(path, { force: true });
    } catch (error) {
      // Another process was faster.
      if (!existsSync(path)) return;
      if (!isStorageUnavailable(error)) renameSync(path, `${path}.rejected`);
      throw error;
    }
  }

  async #reportErrors(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#parts.onRecoveryError?.(error);
    }
  }

  #canWrite(): boolean {
    if (performance.now() < this.#suspendedUntilMs) return false;
    if (this.#lock === undefined) {
      mkdirSync(this.#parts.folder, { recursive: true, mode: 0o700 });
      this.#lock = createLock(this.#path(`${this.#parts.processId}.lock`));
    }
    return true;
  }

  #onWrite(error: unknown): void {
    if (error !== undefined) {
      this.#suspendedUntilMs = performance.now() + (this.#parts.restMs ?? limits.journalRestMs);
      if (!this.#isBroken) this.#parts.onError?.(error);
    }
    this.#isBroken = error !== undefined;
  }

  /** None if the folder does not exist. */
  #files() {
    let names: readonly string[] = [];
    try {
      names = readdirSync(this.#parts.folder);
    } catch {
      // Created with the first write.
    }
    return names.flatMap((name) => {
      const [, processId, batchId = ''] = fileName.exec(name) ?? [];
      return processId === undefined ? [] : [{ name, processId, batchId }];
    });
  }

  #path(name: string): string {
    return join(this.#parts.folder, name);
  }
}
