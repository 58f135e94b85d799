import type { Erasure, Erasures } from '../kernel/ports/sessions.ts';
import type { Clock } from '../lib/clock.ts';
import { limits } from './limits.ts';

/** Erases an account's data in one location. Must be idempotent. */
export interface EraseStep {
  readonly name: string;
  erase(accountId: string): Promise<void>;
}

export interface AccountEraserParts {
  readonly erasures: Erasures;
  readonly steps: readonly EraseStep[];
  readonly clock: Clock;
  /** Deletes accounts whose time to be deleted has come, so that they are erased. */
  deleteDue(): Promise<void>;
  onFailure(step: string, cause: unknown): void;
}

/**
 * Erases the data of deleted accounts. In-flight calls leave data behind when they end, so it goes through every location
 * several times. If a process fails or dies, another one continues.
 */
export class AccountEraser {
  readonly #parts: AccountEraserParts;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #runAgain = false;
  #isClosed = false;

  constructor(parts: AccountEraserParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => void this.eraseDue(), limits.erasePollMs).unref();
    void this.eraseDue();
  }

  /** Starts with the erasures that are due; resolves when they are done. */
  async eraseDue(): Promise<void> {
    if (this.#isClosed) return;
    this.#runAgain = this.#running !== undefined;
    this.#running ??= this.#eraseAllDue().finally(() => {
      this.#running = undefined;
      if (this.#runAgain) void this.eraseDue();
    });
    await this.#running;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  async #eraseAllDue(): Promise<void> {
    const { erasures, clock, deleteDue, onFailure } = this.#parts;
    const most = limits.erasuresAtOnce;
    try {
      await deleteDue();
      for (let taken: number = most; taken === most && !this.#isClosed; ) {
        const nowMs = clock.now();
        const due = await erasures.take({ nowMs, untilMs: nowMs + limits.eraseLeaseMs, most });
        for (const erasure of due) await this.#runPass(erasure);
        taken = due.length;
      }
    } catch (cause) {
      onFailure('erasures', cause);
    }
  }

  /** A failed erasure is due again when its lease expires. */
  async #runPass({ accountId, pass }: Erasure): Promise<void> {
    const { erasures, steps, clock, onFailure } = this.#parts;
    let failed = false;
    for (const { name, erase } of steps) {
      if (this.#isClosed) return;
      try {
        await erase(accountId);
      } catch (cause) {
        failed = true;
        onFailure(name, cause);
      }
    }
    if (failed) return;
    const waitMs = limits.erasePassesMs[pass];
    if (waitMs === undefined) await erasures.complete(accountId);
    else await erasures.scheduleNextPass(accountId, pass + 1, clock.now() + waitMs);
  }
}
