import { randomUUID } from 'node:crypto';
import type { AnnouncedChanges } from '../kernel/ports/announced-changes.ts';
import type { Clock } from '../lib/clock.ts';
import { PeriodicTask } from '../lib/periodic-task.ts';
import { canonicalJson } from './canonical-json.ts';
import { isAuditEvent } from './events.ts';
import type { AuditRecord } from './facts.ts';
import { limits } from './limits.ts';
import { parseObject } from './parse-object.ts';

interface OpenChangesParts {
  readonly table: AnnouncedChanges;
  readonly clock: Clock;
  /** Called for every failed round; the next one retries. */
  onError(error: unknown): void;
}

/** The changes that this process is making, and those of processes that were killed. */
export class OpenChanges {
  readonly #parts: OpenChangesParts;
  readonly #rounds: PeriodicTask;
  readonly #open = new Set<string>();
  #ended: string[] = [];
  #removing: Promise<void> | undefined;
  #addEntry: ((record: AuditRecord) => Promise<void>) | undefined;

  constructor(parts: OpenChangesParts) {
    this.#parts = parts;
    this.#rounds = new PeriodicTask({
      intervalMs: limits.openChangesMs,
      run: () => this.#runOnce(),
      onError: parts.onError,
    });
  }

  /** Renews the changes of this process at intervals. Those of killed ones get an entry from `addEntry`. */
  start(addEntry: (record: AuditRecord) => Promise<void>): void {
    this.#addEntry = addEntry;
    this.#rounds.start();
    this.#rounds.trigger();
  }

  async stop(): Promise<void> {
    await this.#rounds.stop();
    await this.#removeEnded();
  }

  /** Resolves to the id of its entry once the database has it; rejects if nothing may be changed, since nobody would notice. */
  async announce({ event, actor, account, route, version }: AuditRecord): Promise<string> {
    const { table, clock } = this.#parts;
    const id = randomUUID();
    const known = { event, actor: actor?.replace(/^operator:.*/s, 'operator'), account, route, version };
    this.#open.add(id);
    try {
      await table.add({ id, content: canonicalJson(known) }, clock.now() + limits.openChangeLeaseMs);
      return id;
    } catch (error) {
      this.#open.delete(id);
      throw error;
    }
  }

  /** When its entry is stored, or nothing was changed. */
  end(id: string): void {
    if (!this.#open.delete(id)) return;
    this.#ended.push(id);
    void this.#removeEnded();
  }

  /** When its entry is lost: another one will be added. */
  leave(id: string): void {
    this.#open.delete(id);
  }

  /** Those that end while others are removed are removed together. */
  #removeEnded(): Promise<void> {
    this.#removing ??= this.#removeAll().finally(() => {
      this.#removing = undefined;
    });
    return this.#removing;
  }

  async #removeAll(): Promise<void> {
    const { table, onError } = this.#parts;
    while (this.#ended.length > 0) {
      const some = this.#ended.splice(0, limits.entriesAtOnce);
      try {
        await table.remove(some);
      } catch (error) {
        this.#ended.push(...some);
        onError(error);
        return;
      }
    }
  }

  async #runOnce(): Promise<void> {
    const { table, clock } = this.#parts;
    await this.#removeEnded();
    const nowMs = clock.now();
    const untilMs = nowMs + limits.openChangeLeaseMs;
    if (this.#open.size > 0) await table.renew([...this.#open], untilMs);
    for (
      let taken: number = limits.entriesAtOnce;
      taken === limits.entriesAtOnce && !this.#rounds.signal.aborted;
    ) {
      const left = await table.take({ nowMs, untilMs, limit: limits.entriesAtOnce });
      for (const { id, content } of left) await this.#resume(id, parseObject(content));
      taken = left.length;
    }
  }

  async #resume(entry: string, { event, ...known }: ReturnType<typeof parseObject>): Promise<void> {
    this.#open.add(entry);
    // A later version may have written it.
    if (isAuditEvent(event)) await this.#addEntry?.({ ...known, event, entry, outcome: 'unknown' });
    else this.leave(entry);
  }
}
