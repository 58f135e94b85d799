import type { Log } from '../telemetry/log.ts';

/** Does what there is to do when a call has ended, each part whatever becomes of the others. */
export class CallSettlement {
  readonly #log: Pick<Log, 'error'>;
  #faults = 0;

  constructor(log: Pick<Log, 'error'>) {
    this.#log = log;
  }

  /** Parts that failed since the start. */
  get faults(): number {
    return this.#faults;
  }

  /** Never throws: a fault is counted and told, and what comes after it still happens. */
  runPart(name: string, id: string, run: () => void): void {
    try {
      run();
    } catch (err) {
      this.#faults++;
      this.#log.error({ id, part: name, err }, 'call settlement step failed');
    }
  }
}
