import type { Attempt } from './attempt.ts';

type AttemptsListener = (attempts: readonly Attempt[]) => void;

/** The attempts below a module, with listeners for when all have ended. */
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

  /** Runs once, when the module has ended and no attempt is in flight. */
  onBilled(then: AttemptsListener): void {
    this.#billedListeners = [...this.#billedListeners, then];
    // A module that was skipped while still working is notified, too.
    this.attemptEnded();
  }

  /** Runs once, after all `onBilled` listeners, even if those fail. */
  onSettled(then: AttemptsListener): void {
    this.#settledListeners = [...this.#settledListeners, then];
    this.attemptEnded();
  }

  /** The module has ended. */
  moduleEnded(): void {
    this.#isModuleDone = true;
    this.attemptEnded();
  }

  attemptEnded(): void {
    if (!this.#isModuleDone || this.#billedListeners.length + this.#settledListeners.length === 0) return;
    if (this.#attempts.some(({ ending }) => ending === undefined)) return;
    const listeners = [...this.#billedListeners, ...this.#settledListeners];
    this.#billedListeners = none;
    this.#settledListeners = none;
    for (const then of listeners) {
      try {
        then(this.#attempts);
      } catch (fault) {
        this.#onFault(fault);
      }
    }
  }
}

const none: readonly never[] = [];
