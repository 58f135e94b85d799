import type { Clock } from '../../src/lib/clock.ts';

/** A clock that goes only when it is told to. */
export class ManualClock implements Clock {
  #nowMs = Date.UTC(2026, 10, 15, 12);

  now(): number {
    return this.#nowMs;
  }

  move(ms: number): void {
    this.#nowMs += ms;
  }
}
