import { hash } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { limits } from '../../kernel/limits.ts';
import type { RateLimiter } from '../../kernel/ports/shared-state.ts';

interface RateWindow {
  readonly untilMs: number;
  tries: number;
}

/** Windows of tries, under hashed names: the length of a name is up to whoever tries. */
export class MemoryRateLimiter implements RateLimiter {
  readonly #clock: Clock;
  readonly #windowsMax: number;
  readonly #windows = new Map<string, RateWindow>();

  constructor(clock: Clock, windowsMax: number = limits.rateLimitWindowsMax) {
    this.#clock = clock;
    this.#windowsMax = windowsMax;
  }

  /** Windows that are remembered. */
  get size(): number {
    return this.#windows.size;
  }

  async count(name: string, { most, seconds }: { most: number; seconds: number }): Promise<number> {
    const nowMs = this.#clock.now();
    const rateWindow = this.#currentWindow(hashName(name), nowMs, seconds * 1000);
    rateWindow.tries++;
    return rateWindow.tries <= most ? 0 : Math.ceil((rateWindow.untilMs - nowMs) / 1000);
  }

  async forget(name: string): Promise<void> {
    this.#windows.delete(hashName(name));
  }

  #currentWindow(name: string, nowMs: number, lengthMs: number): RateWindow {
    const known = this.#windows.get(name);
    if (known !== undefined && known.untilMs > nowMs) return known;
    this.#windows.delete(name);
    if (this.#windows.size >= this.#windowsMax) this.#makeRoom(nowMs);
    const window = { untilMs: nowMs + lengthMs, tries: 0 };
    this.#windows.set(name, window);
    return window;
  }

  /** Those that are over go first, then the oldest; a tenth at least, so that this is rare. */
  #makeRoom(nowMs: number): void {
    for (const [name, { untilMs }] of this.#windows) if (untilMs <= nowMs) this.#windows.delete(name);
    const roomFor = Math.floor(this.#windowsMax * 0.9);
    for (const name of this.#windows.keys()) {
      if (this.#windows.size <= roomFor) break;
      this.#windows.delete(name);
    }
  }
}

function hashName(name: string): string {
  return hash('sha256', name, 'base64url');
}
