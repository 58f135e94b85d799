import { hash } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { limits } from '../../kernel/limits.ts';
import type { Attempts } from '../../kernel/ports/shared-state.ts';

interface Window {
  readonly untilMs: number;
  tries: number;
}

/** Windows of tries, under hashed names: the length of a name is up to whoever tries. */
export class MemoryAttempts implements Attempts {
  readonly #clock: Clock;
  readonly #windowsMax: number;
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock, windowsMax: number = limits.attemptWindowsMax) {
    this.#clock = clock;
    this.#windowsMax = windowsMax;
  }

  /** Windows that are remembered. */
  get size(): number {
    return this.#windows.size;
  }

  async count(name: string, { most, seconds }: { most: number; seconds: number }): Promise<number> {
    const nowMs = this.#clock.now();
    const window = this.#window(nameOf(name), nowMs, seconds * 1000);
    window.tries++;
    return window.tries <= most ? 0 : Math.ceil((window.untilMs - nowMs) / 1000);
  }

  async forget(name: string): Promise<void> {
    this.#windows.delete(nameOf(name));
  }

  #window(name: string, nowMs: number, lengthMs: number): Window {
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

function nameOf(name: string): string {
  return hash('sha256', name, 'base64url');
}
