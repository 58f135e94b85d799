import type { Attempt } from './attempt.ts';

type AttemptsListener = (attempts: readonly Attempt[]) => void;

/** Every answer that providers were asked for below a module, and who is told when none is under way any more. */
export class InnerAttempts {
  readonly #onFault: (fault: unknown) => void;
  #attempts: readonly Attempt[] = none;
  #billedListeners: readonly AttemptsListener[] = none;
  #settledListeners: readonly AttemptsListener[] = none;
  #isModuleDone = false;

  constructor(onFault: (fault: unknown) => void) {
    this.#onFault = onFault;
  }

  add(attempt: Attempt): void {
    this.#attempts = [...this.#attempts, attempt];
  }

  /** Runs once, when the module's part is over and nothing is under way. */
  onBilled(then: AttemptsListener): void {
    this.#billedListeners = [...this.#billedListeners, then];
    // Who was still at work when the call went on without it is told too.
    this.attemptEnded();
  }

  /** Runs once, when all of those have run, whatever became of them. */
  onSettled(then: AttemptsListener): void {
    this.#settledListeners = [...this.#settledListeners, then];
    this.attemptEnded();
  }

  /** The module's part is. */
  moduleEnded(): void {
    this.#isModuleDone = true;
    this.attemptEnded();
  }

  attemptEnded(): void {
    if (!this.#isModuleDone || this.#billedListeners.length + this.#settledListeners.length === 0) return;
    if (this.#attempts.some(({ ending }) => ending === undefined)) return;
    const told = [...this.#billedListeners, ...this.#settledListeners];
    this.#billedListeners = none;
    this.#settledListeners = none;
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
