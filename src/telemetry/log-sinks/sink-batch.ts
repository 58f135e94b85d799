import type { Journal } from '../request-log/journal.ts';
import type { JournalSegment } from '../request-log/journal-segment.ts';

/** Identifies a batch by its first line. */
export interface BatchStart {
  readonly id: string;
  readonly atMs: number;
}

/** Lines to send together. */
export class SinkBatch {
  readonly lines: string[] = [];
  start: BatchStart | undefined;
  bytes = 0;
  readonly #segment: JournalSegment | undefined;
  #inJournal = 0;

  constructor(journal: Journal | undefined) {
    this.#segment = journal?.createSegment({ next: () => this.#next(), all: () => this.lines });
  }

  add(line: string, start: BatchStart): void {
    this.start ??= start;
    this.lines.push(line);
    this.bytes += line.length;
    this.#segment?.scheduleWrite();
  }

  /** Its lines are sent or dropped. */
  async remove(): Promise<void> {
    await this.#segment?.remove();
  }

  /** The lines added since the last write. */
  #next(): string | undefined {
    const added = this.lines.slice(this.#inJournal);
    this.#inJournal = this.lines.length;
    return added.length === 0 ? undefined : added.join('\n');
  }
}
