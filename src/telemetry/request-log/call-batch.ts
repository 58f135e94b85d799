import type { LoggedCall, RequestLog } from '../../kernel/ports/request-log.ts';
import type { Journal } from './journal.ts';
import type { JournalSegment } from './journal-segment.ts';

/** Calls to store together. They are packed once, for the journal and the log. */
export class CallBatch {
  size = 0;
  /** About as much memory as it takes. */
  bytes = 0;
  readonly #log: Pick<RequestLog, 'pack'>;
  readonly #segment: JournalSegment | undefined;
  readonly #packs: string[] = [];
  #unpacked: LoggedCall[] = [];

  constructor(log: Pick<RequestLog, 'pack'>, journal: Journal | undefined) {
    this.#log = log;
    this.#segment = journal?.createSegment({ next: () => this.#pack(), all: () => this.#packs });
  }

  add(call: LoggedCall): void {
    this.size++;
    this.bytes += estimateBytes(call);
    this.#unpacked.push(call);
    this.#segment?.scheduleWrite();
  }

  packs(): readonly string[] {
    this.#pack();
    return this.#packs;
  }

  /** Its calls are stored or dropped. */
  async remove(): Promise<void> {
    await this.#segment?.remove();
  }

  /** The calls added since the last write. */
  #pack(): string | undefined {
    if (this.#unpacked.length === 0) return undefined;
    const pack = this.#log.pack(this.#unpacked);
    this.#unpacked = [];
    this.#packs.push(pack);
    return pack;
  }
}

/** Most of a row are short fields; the others have texts of modules, which may be long. */
export function estimateBytes({ pipeline, steps, changes, attempts }: LoggedCall): number {
  const lists = 200 * steps.length + 100 * changes.length + 400 * attempts.length;
  return 700 + pipeline.length + lists;
}
