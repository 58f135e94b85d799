import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { Erasure, Erasures } from '../kernel/ports/sessions.ts';

/** One place where something of an account may be. Doing it again does no harm. */
export interface EraseStep {
  readonly name: string;
  erase(accountId: string): Promise<void>;
}

export interface ErasingParts {
  readonly erasures: Erasures;
  readonly steps: readonly EraseStep[];
  readonly clock: Clock;
  onFailure(step: string, cause: unknown): void;
}

/**
 * Erases what is left of accounts that are gone. Calls that were under way leave something behind when they end, so that every
 * place is gone through several times; what a process doesn't get done, or dies over, another one does.
 */
export class Erasing {
  readonly #parts: ErasingParts;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #again = false;
  #isClosed = false;

  constructor(parts: ErasingParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), limits.erasePollMs).unref();
    void this.look();
  }

  /** Begins with what is due; resolves when that is done. */
  async look(): Promise<void> {
    if (this.#isClosed) return;
    this.#again = this.#round !== undefined;
    this.#round ??= this.#rounds().finally(() => {
      this.#round = undefined;
      if (this.#again) void this.look();
    });
    await this.#round;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#round;
  }

  async #rounds(): Promise<void> {
    const { erasures, clock, onFailure } = this.#parts;
    const most = limits.erasuresAtOnce;
    try {
      for (let taken: number = most; taken === most && !this.#isClosed; ) {
        const nowMs = clock.now();
        const due = await erasures.take({ nowMs, untilMs: nowMs + limits.eraseLeaseMs, most });
        for (const erasure of due) await this.#pass(erasure);
        taken = due.length;
      }
    } catch (cause) {
      onFailure('erasures', cause);
    }
  }

  /** One that fails comes back when the lease is over. */
  async #pass({ accountId, pass }: Erasure): Promise<void> {
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
    if (waitMs === undefined) await erasures.done(accountId);
    else await erasures.again(accountId, pass + 1, clock.now() + waitMs);
  }
}
