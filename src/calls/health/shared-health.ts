import type { HealthBoard } from '../../kernel/ports/health.ts';
import type { Clock } from '../../lib/clock.ts';
import { limits } from '../limits.ts';
import type { NamedRecord } from './credential-records.ts';

export interface SharedHealthParts {
  readonly processId: string;
  readonly clock: Clock;
  readonly board: HealthBoard;
}

/** Publishes the health that this process sees, and reads what the other processes see. */
export class SharedHealth {
  readonly #parts: SharedHealthParts;
  readonly #unpublished = new Set<NamedRecord>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: SharedHealthParts) {
    this.#parts = parts;
  }

  /** Merges the reports of others, and returns the records that have new ones. */
  async readOthers(named: readonly NamedRecord[]): Promise<readonly NamedRecord[]> {
    const { board, clock, processId } = this.#parts;
    const nowMs = clock.now();
    const isStale = ({ record }: NamedRecord) => nowMs - record.readAtMs >= limits.healthReadMs;
    const old = new Set<NamedRecord>();
    for (const one of named) {
      if (isStale(one)) old.add(one);
      if (isStale(one.ofCredential.whole)) old.add(one.ofCredential.whole);
    }
    if (old.size === 0) return [];
    const stale = [...old];
    // Without the reports of others, the results of this process have to do.
    const all = await board.read(stale.map(({ name }) => name)).catch(() => []);
    return stale.flatMap((one, at) => {
      const reports = all[at];
      if (reports === undefined) return [];
      const others = [...reports].flatMap(([owner, report]) => (owner === processId ? [] : [report]));
      one.record.merge(others, nowMs);
      return [one];
    });
  }

  publishSoon(named: NamedRecord, isUrgent: boolean): void {
    if (this.#isClosed) return;
    if (isUrgent) return void this.#publish(named);
    this.#unpublished.add(named);
    this.#timer ??= setTimeout(() => void this.publishAll(), limits.healthPublishMs).unref();
  }

  /** Publishes what has not been published yet. */
  async publishAll(): Promise<void> {
    this.#timer = undefined;
    const waiting = [...this.#unpublished].slice(0, limits.healthPublishedMax);
    this.#unpublished.clear();
    await Promise.all(waiting.map((named) => this.#publish(named)));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.publishAll();
  }

  /** A report that is lost is followed by another with the next attempt. */
  async #publish(named: NamedRecord): Promise<void> {
    this.#unpublished.delete(named);
    const { board, processId, clock } = this.#parts;
    await board.publish(named.name, processId, named.record.report(clock.now())).catch(() => undefined);
  }
}
