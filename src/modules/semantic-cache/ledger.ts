import { type Clock, isJsonObject, type ModuleStore } from '../../module-api.ts';
import { type Evidence, noEvidence } from './bound.ts';

type Shelf = {
  get(key: string): Promise<Uint8Array | undefined>;
  put(key: string, value: Uint8Array, ttlSeconds: number): Promise<void>;
};

/** What was seen of a scope: how its answers compared, and how answers to one question did. */
export interface ScopeEvidence extends Evidence {
  readonly twins: { readonly asked: number; readonly differed: number };
}

export interface EntryEvidence extends Evidence {
  /** An answer to it was found to be wrong for another prompt; it is for its own words alone since. */
  readonly closed: boolean;
}

const scopeKey = 'evidence';
/** What others have seen is known after this; a call doesn't wait for the database each time. */
const knownForMs = 30_000;
const scopesMax = 1000;
const triesMax = 5;

/** Remembers what shadow calls have shown. */
export class Ledger {
  readonly #clock: Clock;
  readonly #known = new Map<string, { readonly evidence: ScopeEvidence; readonly atMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async scope(name: string, store: ModuleStore): Promise<ScopeEvidence> {
    const known = this.#known.get(name);
    if (known !== undefined && this.#clock.now() - known.atMs < knownForMs) return known.evidence;
    const evidence = scopeEvidence((await store.get(scopeKey))?.value);
    this.#remember(name, evidence);
    return evidence;
  }

  async addToScope(
    name: string,
    store: ModuleStore,
    change: (seen: ScopeEvidence) => ScopeEvidence,
  ): Promise<void> {
    for (let tries = 0; tries < triesMax; tries++) {
      const stored = await store.get(scopeKey);
      const evidence = change(scopeEvidence(stored?.value));
      if ((await store.put(scopeKey, evidence, stored?.version ?? 0)) === undefined) continue;
      this.#remember(name, evidence);
      return;
    }
  }

  async entry(shelf: Shelf, id: string): Promise<EntryEvidence> {
    const bytes = await shelf.get(entryKey(id));
    const value: unknown = bytes === undefined ? undefined : JSON.parse(Buffer.from(bytes).toString('utf8'));
    return { ...evidenceIn(value), closed: isJsonObject(value) && value.closed === true };
  }

  async setEntry(
    shelf: Shelf,
    id: string,
    kept: { readonly evidence: EntryEvidence; readonly ttlSeconds: number },
  ): Promise<void> {
    await shelf.put(entryKey(id), Buffer.from(JSON.stringify(kept.evidence)), kept.ttlSeconds);
  }

  #remember(name: string, evidence: ScopeEvidence): void {
    this.#known.delete(name);
    this.#known.set(name, { evidence, atMs: this.#clock.now() });
    const [oldest] = this.#known.keys();
    if (this.#known.size > scopesMax && oldest !== undefined) this.#known.delete(oldest);
  }
}

function entryKey(id: string): string {
  return `evidence ${id}`;
}

function scopeEvidence(value: unknown): ScopeEvidence {
  const twins = isJsonObject(value) && isJsonObject(value.twins) ? value.twins : {};
  return { ...evidenceIn(value), twins: { asked: figure(twins.asked), differed: figure(twins.differed) } };
}

function evidenceIn(value: unknown): Evidence {
  if (!isJsonObject(value)) return noEvidence;
  return { expected: figure(value.expected), wrong: figure(value.wrong) };
}

function figure(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;
}
