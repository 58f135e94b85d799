import { randomBytes } from 'node:crypto';
import type { SharedDocuments } from '../../kernel/ports/shared-documents.ts';
import { storageUnavailable } from '../../kernel/ports/storage-unavailable.ts';
import type { Clock } from '../../lib/clock.ts';
import { Lru } from '../../lib/lru.ts';
import { limits } from '../limits.ts';

/** Gets undefined for a document that does not exist or has expired. May change the value in place; runs again if another process was faster. */
type Change<Value, Result> = (value: Value | undefined) => ChangeResult<Value, Result>;

interface ChangeResult<Value, Result> {
  /** Undefined if nothing has to be written. */
  readonly value?: Value | undefined;
  readonly untilMs?: number;
  readonly result: Result;
}

interface WaitingChange<Value> {
  apply(value: Value | undefined): ChangeResult<Value, unknown>;
  resolve(): void;
  reject(error: unknown): void;
}

interface KnownDocument {
  /** Undefined if there is none. */
  readonly revision: string | undefined;
  readonly text: string;
  readonly untilMs: number;
}

const noDocument: KnownDocument = { revision: undefined, text: '', untilMs: 0 };

/**
 * Changes documents of one kind that all replicas share, exactly: a result counts only if the document was unchanged
 * when it was written, or was read after the change was asked for. Changes that wait for the same document share a
 * statement.
 */
export class DocumentChanges<Value> {
  readonly #documents: SharedDocuments;
  readonly #clock: Clock;
  readonly #processId = randomBytes(9).toString('base64url');
  readonly #waiting = new Map<string, WaitingChange<Value>[]>();
  /** What this process wrote last; another may have changed it since. */
  readonly #known = new Lru<KnownDocument>(limits.knownDocumentsMax);
  #idsCreated = 0;

  constructor(documents: SharedDocuments, clock: Clock) {
    this.#documents = documents;
    this.#clock = clock;
  }

  /** An id that no other process creates. */
  createId(): string {
    return `${this.#processId}.${this.#idsCreated++}`;
  }

  change<Result>(name: string, change: Change<Value, Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    let changed: ChangeResult<Value, Result>;
    const waiting: WaitingChange<Value> = {
      apply(value) {
        changed = change(value);
        return changed;
      },
      resolve: () => resolve(changed.result),
      reject,
    };
    const others = this.#waiting.get(name);
    if (others !== undefined) others.push(waiting);
    else {
      this.#waiting.set(name, [waiting]);
      void this.#run(name);
    }
    return promise;
  }

  /** One round after the other, each with all changes that arrived meanwhile. */
  async #run(name: string): Promise<void> {
    // Calls of the same turn of the event loop share the first round.
    await Promise.resolve();
    for (;;) {
      const round = this.#waiting.get(name) ?? [];
      if (round.length === 0) break;
      this.#waiting.set(name, []);
      try {
        await this.#apply(name, round);
        for (const { resolve } of round) resolve();
      } catch (error) {
        this.#known.delete(name);
        for (const { reject } of round) reject(error);
      }
    }
    this.#waiting.delete(name);
  }

  async #apply(name: string, round: readonly WaitingChange<Value>[]): Promise<void> {
    let known = this.#known.get(name);
    for (let tries = 0; tries < limits.documentTries; tries++) {
      const isFresh = known === undefined;
      const before = known ?? (await this.#documents.read(name)) ?? noDocument;
      known = undefined;
      let value: Value | undefined = before.untilMs > this.#clock.now() ? JSON.parse(before.text) : undefined;
      let changed: { readonly value: Value; readonly untilMs: number } | undefined;
      for (const { apply } of round) {
        const after = apply(value);
        if (after.value === undefined) continue;
        value = after.value;
        changed = { value, untilMs: after.untilMs ?? 0 };
      }
      if (changed === undefined && isFresh) {
        this.#known.set(name, before);
        return;
      }
      if (changed === undefined) continue;
      const text = JSON.stringify(changed.value);
      const document = { revision: this.createId(), text, untilMs: changed.untilMs };
      if (await this.#documents.write(name, before.revision, document)) {
        this.#known.set(name, document);
        return;
      }
    }
    throw storageUnavailable('a shared count is changed by too many processes at once');
  }
}
