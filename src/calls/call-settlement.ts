import type { Log } from '../telemetry/log.ts';

/** Runs the steps that follow the end of a call; a failing step doesn't stop the others. */
export class CallSettlement {
  readonly #log: Pick<Log, 'error'>;
  #faults = 0;

  constructor(log: Pick<Log, 'error'>) {
    this.#log = log;
  }

  /** Number of failed steps since the start. */
  get faults(): number {
    return this.#faults;
  }

  /** Never throws: logs and counts the fault, so that the next steps still run. */
  runPart(name: string, id: string, run: () => void): void {
    try {
      run();
    } catch (err) {
      this.#faults++;
      this.#log.error({ id, part: name, err }, 'call settlement step failed');
    }
  }
}
