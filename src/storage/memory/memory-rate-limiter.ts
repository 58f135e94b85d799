import { hash } from 'node:crypto';
import type { RateLimiter } from '../../kernel/ports/shared-state.ts';
import type { Clock } from '../../lib/clock.ts';
import { limits } from '../limits.ts';

interface RateWindow {
  readonly untilMs: number;
  tries: number;
}

/** Counts attempts per window. Names are hashed, because clients choose their length. */
export class MemoryRateLimiter implements RateLimiter {
  readonly #clock: Clock;
  readonly #windowsMax: number;
  readonly #windows = new Map<string, RateWindow>();

  constructor(clock: Clock, windowsMax: number = limits.rateLimitWindowsMax) {
    this.#clock = clock;
    this.#windowsMax = windowsMax;
  }

  /** The number of windows in memory. */
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
    const existing = this.#windows.get(name);
    if (existing !== undefined && existing.untilMs > nowMs) return existing;
    this.#windows.delete(name);
    if (this.#windows.size >= this.#windowsMax) this.#makeRoom(nowMs);
    const window = { untilMs: nowMs + lengthMs, tries: 0 };
    this.#windows.set(name, window);
    return window;
  }

  /** Evicts ended windows first, then the oldest; at least a tenth, so that this runs rarely. */
  #makeRoom(nowMs: number): void {
    for (const [name, { untilMs }] of this.#windows) if (untilMs <= nowMs) this.#windows.delete(name);
    const sizeMax = Math.floor(this.#windowsMax * 0.9);
    for (const name of this.#windows.keys()) {
      if (this.#windows.size <= sizeMax) break;
      this.#windows.delete(name);
    }
  }
}

function hashName(name: string): string {
  return hash('sha256', name, 'base64url');
}
