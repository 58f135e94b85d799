import { type Clock, isJsonObject, type ModuleStore } from '../../module-api.ts';
import { type Evidence, noEvidence } from './error-bound.ts';

type EntryCache = {
  get(key: string): Promise<Uint8Array | undefined>;
  put(key: string, value: Uint8Array, ttlSeconds: number): Promise<void>;
};

/** The evidence of a scope: comparisons of served answers, and of answers to identical requests (`twins`). */
export interface ScopeEvidence extends Evidence {
  readonly twins: { readonly asked: number; readonly differed: number };
}

export interface EntryEvidence extends Evidence {
  /** Whether its answer was wrong for another prompt; since then it serves exact matches only. */
  readonly closed: boolean;
}

const scopeKey = 'evidence';
/** How long evidence is cached, so that calls don't wait for the database. */
const scopeFreshMs = 30_000;
const scopesMax = 1000;
const triesMax = 5;

/** Stores the results of shadow calls. */
export class EvidenceStore {
  readonly #clock: Clock;
  readonly #scopes = new Map<string, { readonly evidence: ScopeEvidence; readonly atMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async getScope(name: string, store: ModuleStore): Promise<ScopeEvidence> {
    const known = this.#scopes.get(name);
    if (known !== undefined && this.#clock.now() - known.atMs < scopeFreshMs) return known.evidence;
    const evidence = parseScopeEvidence((await store.get(scopeKey))?.value);
    this.#cacheScope(name, evidence);
    return evidence;
  }

  async updateScope(
    name: string,
    store: ModuleStore,
    change: (seen: ScopeEvidence) => ScopeEvidence,
  ): Promise<void> {
    for (let tries = 0; tries < triesMax; tries++) {
      const stored = await store.get(scopeKey);
      const evidence = change(parseScopeEvidence(stored?.value));
      if ((await store.put(scopeKey, evidence, stored?.version ?? 0)) === undefined) continue;
      this.#cacheScope(name, evidence);
      return;
    }
  }

  async getEntry(entryCache: EntryCache, id: string): Promise<EntryEvidence> {
    const bytes = await entryCache.get(entryKey(id));
    const value: unknown = bytes === undefined ? undefined : JSON.parse(Buffer.from(bytes).toString('utf8'));
    return { ...parseEvidence(value), closed: isJsonObject(value) && value.closed === true };
  }

  async setEntry(
    entryCache: EntryCache,
    id: string,
    kept: { readonly evidence: EntryEvidence; readonly ttlSeconds: number },
  ): Promise<void> {
    await entryCache.put(entryKey(id), Buffer.from(JSON.stringify(kept.evidence)), kept.ttlSeconds);
  }

  #cacheScope(name: string, evidence: ScopeEvidence): void {
    this.#scopes.delete(name);
    this.#scopes.set(name, { evidence, atMs: this.#clock.now() });
    const [oldest] = this.#scopes.keys();
    if (this.#scopes.size > scopesMax && oldest !== undefined) this.#scopes.delete(oldest);
  }
}

function entryKey(id: string): string {
  return `evidence ${id}`;
}

function parseScopeEvidence(value: unknown): ScopeEvidence {
  const twins = isJsonObject(value) && isJsonObject(value.twins) ? value.twins : {};
  return {
    ...parseEvidence(value),
    twins: { asked: nonNegativeNumber(twins.asked), differed: nonNegativeNumber(twins.differed) },
  };
}

function parseEvidence(value: unknown): Evidence {
  if (!isJsonObject(value)) return noEvidence;
  return { expected: nonNegativeNumber(value.expected), wrong: nonNegativeNumber(value.wrong) };
}

function nonNegativeNumber(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;
}
