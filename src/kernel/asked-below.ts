import type { Attempt } from './attempt.ts';

type Told = (attempts: readonly Attempt[]) => void;

/** Every answer that providers were asked for below a module, and who is told when none is under way any more. */
export class AskedBelow {
  readonly #onFault: (fault: unknown) => void;
  #attempts: readonly Attempt[] = none;
  #paid: readonly Told[] = none;
  #settled: readonly Told[] = none;
  #isOver = false;

  constructor(onFault: (fault: unknown) => void) {
    this.#onFault = onFault;
  }

  add(attempt: Attempt): void {
    this.#attempts = [...this.#attempts, attempt];
  }

  /** Runs once, when the module's part is over and nothing is under way. */
  whenPaid(then: Told): void {
    this.#paid = [...this.#paid, then];
    // Who was still at work when the call went on without it is told too.
    this.attemptEnded();
  }

  /** Runs once, when all of those have run, whatever became of them. */
  whenSettled(then: Told): void {
    this.#settled = [...this.#settled, then];
    this.attemptEnded();
  }

  /** The module's part is. */
  over(): void {
    this.#isOver = true;
    this.attemptEnded();
  }

  attemptEnded(): void {
    if (!this.#isOver || this.#paid.length + this.#settled.length === 0) return;
    if (this.#attempts.some(({ ending }) => ending === undefined)) return;
    const told = [...this.#paid, ...this.#settled];
    this.#paid = none;
    this.#settled = none;
    for (const then of told) {
      try {
        then(this.#attempts);
      } catch (fault) {
        this.#onFault(fault);
      }
    }
  }
}

const none: readonly never[] = [];
