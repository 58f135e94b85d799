import type { Log } from './log.ts';

/** Logs when a service fails and when it works again. Failures in between are the same outage. */
export class Outage {
  readonly #log: Pick<Log, 'info' | 'error'>;
  readonly #messages: OutageMessages;
  #sinceMs: number | undefined;

  constructor(log: Pick<Log, 'info' | 'error'>, messages: OutageMessages) {
    this.#log = log;
    this.#messages = messages;
  }

  get isOn(): boolean {
    return this.#sinceMs !== undefined;
  }

  begin(facts: object): void {
    if (this.#sinceMs !== undefined) return;
    this.#sinceMs = performance.now();
    this.#log.error(facts, this.#messages.began);
  }

  end(): void {
    if (this.#sinceMs === undefined) return;
    logReturn(this.#log, this.#messages.ended, performance.now() - this.#sinceMs);
    this.#sinceMs = undefined;
  }
}

/** `message` gets the time that it took. */
export function logReturn(log: Pick<Log, 'info'>, message: string, ms: number): void {
  const seconds = Number((ms / 1000).toFixed(1));
  log.info({ seconds }, `${message} after ${seconds} s`);
}

interface OutageMessages {
  readonly began: string;
  /** Without the time that it took. */
  readonly ended: string;
}
