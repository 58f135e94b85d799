import type { Sealer } from '../accounts/sealer.ts';
import type { Clock } from '../kernel/clock.ts';
import type { DecisionLog } from '../kernel/conversation/decision-log.ts';
import { GatewayError } from '../kernel/errors.ts';
import { isJsonObject, parseExact } from '../kernel/json.ts';
import { limits } from '../kernel/limits.ts';
import { Lru } from '../kernel/lru.ts';
import type { ModuleStore, ModuleStores, StoredEntry, StoredValue } from '../kernel/ports/module-store.ts';

export interface DecisionLogsParts {
  readonly stores: ModuleStores;
  readonly clock: Clock;
  /** Encrypts decisions, which quote conversations. */
  readonly sealing: Sealer;
}

/** Identifies the decisions of one module in one conversation of one tenant. */
export interface DecisionLogKey {
  readonly module: string;
  readonly scope: string;
  /** The conversation root. */
  readonly root: string;
}

/** The decisions of a conversation in memory, as JSON. Decisions never change, so they can't become stale. */
interface LoadedDecisions {
  readonly decisions: Map<string, string>;
  /** Decisions in progress. */
  readonly pending: Map<string, Promise<string>>;
  /** The version of the conversation's marker when the decisions were read. */
  version: number;
}

/**
 * The decisions of modules: one store entry each, with recent conversations cached in memory. Every decision also
 * writes a marker of its conversation: if the marker is unchanged, no other process has added decisions.
 */
export class DecisionLogs {
  readonly #parts: DecisionLogsParts;
  #loaded = new Lru<Promise<LoadedDecisions>>(limits.openDecisionLogsMax);
  #loadedChars = 0;
  #sinceSweep = 0;
  /** The key where the next sweep of each store starts. */
  readonly #sweeps = new Lru<string>(limits.openDecisionLogsMax);

  constructor(parts: DecisionLogsParts) {
    this.#parts = parts;
  }

  /** A log for one call, which need not see decisions that others make during the call. */
  of(whose: DecisionLogKey): DecisionLog {
    let fresh: Promise<LoadedDecisions> | undefined;
    /** Refreshes at most once, and not right after loading. */
    const freshest = (opened: Promise<LoadedDecisions>, wasOpen: boolean) => {
      fresh ??= wasOpen ? this.#refresh(whose) : opened;
      return fresh;
    };
    const json = async (place: string) => {
      if (place === '') throw new Error('a decision needs a name');
      const wasOpen = this.#loaded.get(nameOf(whose)) !== undefined;
      const opened = this.#getOrLoad(whose);
      const known = (await opened).decisions.get(place);
      return known ?? (await freshest(opened, wasOpen)).decisions.get(place);
    };
    return {
      isEmpty: async () => {
        const wasOpen = this.#loaded.get(nameOf(whose)) !== undefined;
        const opened = this.#getOrLoad(whose);
        if ((await opened).decisions.size > 0) return false;
        return (await freshest(opened, wasOpen)).decisions.size === 0;
      },
      async get(place) {
        const decided = await json(place);
        return decided === undefined ? undefined : parseExact(decided);
      },
      decideOnce: async (place, decide) =>
        parseExact((await json(place)) ?? (await this.#decideOnce(whose, place, decide))),
    };
  }

  async #decideOnce(whose: DecisionLogKey, place: string, decide: () => unknown): Promise<string> {
    const loadedDecisions = await this.#getOrLoad(whose);
    const known = loadedDecisions.decisions.get(place) ?? loadedDecisions.pending.get(place);
    if (known !== undefined) return known;
    const deciding = this.#decide(whose, place, decide).finally(() => loadedDecisions.pending.delete(place));
    loadedDecisions.pending.set(place, deciding);
    return deciding;
  }

  /** If two processes decide at the same time, the one stored first wins. */
  async #decide(whose: DecisionLogKey, place: string, decide: () => unknown): Promise<string> {
    const json = JSON.stringify(await decide());
    if (json === undefined) throw new Error(`the decision "${place}" must be a JSON value`);
    const store = this.#storeOf(whose);
    const key = keyOf(whose, place);
    const value = this.#seal(json, whose, key);
    this.#maybeSweep(whose);
    const added = await this.#addDecision(whose, key, value);
    const decided = added === undefined ? await this.#readEarlierDecision(whose, key, value) : undefined;
    const loadedDecisions = await this.#getOrLoad(whose);
    const mark = decided === undefined ? await store.put(keyOf(whose, ''), null) : undefined;
    if (mark?.version === loadedDecisions.version + 1) loadedDecisions.version = mark.version;
    this.#remember(loadedDecisions, place, decided ?? json);
    return decided ?? json;
  }

  /** If the store is full, deletes older conversations and tries again. */
  async #addDecision(whose: DecisionLogKey, key: string, value: unknown): Promise<StoredValue | undefined> {
    const store = this.#storeOf(whose);
    try {
      return await store.put(key, value, 0);
    } catch (failure) {
      if (GatewayError.is(failure)) throw failure;
      if ((await this.#sweep(whose, limits.fullDecisionLogLifeMs)) === 0) throw failure;
      return store.put(key, value, 0);
    }
  }

  /** Replaces an entry that can't be unsealed, and returns undefined. */
  async #readEarlierDecision(
    whose: DecisionLogKey,
    key: string,
    value: unknown,
  ): Promise<string | undefined> {
    const store = this.#storeOf(whose);
    const stored = await store.get(key);
    const json = stored === undefined ? undefined : this.#unseal(stored.value, whose, key);
    if (json === undefined) await store.put(key, value, stored?.version ?? 0);
    return json;
  }

  /** Reloads if other processes have added decisions. */
  async #refresh(whose: DecisionLogKey): Promise<LoadedDecisions> {
    const loadedDecisions = await this.#getOrLoad(whose);
    const mark = await this.#storeOf(whose).get(keyOf(whose, ''));
    if ((mark?.version ?? 0) === loadedDecisions.version) return loadedDecisions;
    this.#loaded.delete(nameOf(whose));
    return this.#getOrLoad(whose);
  }

  #getOrLoad(whose: DecisionLogKey): Promise<LoadedDecisions> {
    const name = nameOf(whose);
    const before = this.#loaded.get(name);
    if (before !== undefined) return before;
    const opened = this.#load(whose);
    opened.catch(() => this.#loaded.delete(name));
    this.#loaded.set(name, opened);
    return opened;
  }

  async #load(whose: DecisionLogKey): Promise<LoadedDecisions> {
    const store = this.#storeOf(whose);
    const prefix = keyOf(whose, '');
    const mark = await store.get(prefix);
    const loadedDecisions: LoadedDecisions = {
      decisions: new Map(),
      pending: new Map(),
      version: mark?.version ?? 0,
    };
    if (mark === undefined) return loadedDecisions;
    for (let after = prefix; loadedDecisions.decisions.size < limits.decisionLogEntriesMax; ) {
      const page = await store.list({ prefix, after });
      for (const entry of page) {
        const json = this.#unseal(entry.value, whose, entry.key);
        if (json === undefined) continue;
        this.#remember(loadedDecisions, entry.key.slice(prefix.length), json);
        this.#keepAlive(store, entry);
      }
      if (page.length < limits.modulePageMax) break;
      after = page.at(-1)?.key ?? '';
    }
    this.#keepAlive(store, { ...mark, key: prefix });
    return loadedDecisions;
  }

  #remember({ decisions }: LoadedDecisions, place: string, json: string): void {
    decisions.set(place, json);
    this.#loadedChars += json.length;
    if (this.#loadedChars < limits.decisionLogCharsMax) return;
    // Decisions still in use are loaded again.
    this.#loaded = new Lru(limits.openDecisionLogsMax);
    this.#loadedChars = 0;
  }

  /** Rewrites old entries so that an active conversation keeps its decisions. */
  #keepAlive(store: ModuleStore, { key, value, version, updatedAtMs }: StoredEntry): void {
    if (this.#parts.clock.now() - updatedAtMs < limits.decisionLogLifeMs / 2) return;
    void store.put(key, value, version).catch(() => undefined);
  }

  #maybeSweep(whose: DecisionLogKey): void {
    if (++this.#sinceSweep < limits.decisionLogEntriesBetweenSweeps) return;
    this.#sinceSweep = 0;
    void this.#sweep(whose, limits.decisionLogLifeMs).catch(() => undefined);
  }

  /** Sweeps one page of a store; repeated sweeps go through all of it. */
  async #sweep(whose: DecisionLogKey, lifeMs: number): Promise<number> {
    const store = this.#storeOf(whose);
    const name = `${whose.module}\n${whose.scope}`;
    const page = await store.list({ after: this.#sweeps.get(name) });
    this.#sweeps.set(name, page.length < limits.modulePageMax ? '' : (page.at(-1)?.key ?? ''));
    const deadline = this.#parts.clock.now() - lifeMs;
    const over = page.filter(({ updatedAtMs }) => updatedAtMs < deadline);
    for (const { key } of over) await store.delete(key);
    return over.length;
  }

  #storeOf({ module, scope }: DecisionLogKey): ModuleStore {
    return this.#parts.stores.store(`${module}/ledger`, scope);
  }

  #seal(json: string, whose: DecisionLogKey, key: string): unknown {
    const { sealedBy, sealed } = this.#parts.sealing.seal(json, contextOf(whose, key));
    return { by: sealedBy, sealed: Buffer.from(sealed).toString('base64') };
  }

  /** Undefined if the sealing secret is gone: then there is no decision. */
  #unseal(value: unknown, whose: DecisionLogKey, key: string): string | undefined {
    const { by, sealed } = isJsonObject(value) ? value : {};
    if (typeof by !== 'string' || typeof sealed !== 'string') return undefined;
    return this.#parts.sealing.open(
      { sealedBy: by, sealed: Buffer.from(sealed, 'base64') },
      contextOf(whose, key),
    );
  }
}

function nameOf({ module, scope, root }: DecisionLogKey): string {
  return `${module}\n${scope}\n${root}`;
}

function keyOf({ root }: DecisionLogKey, place: string): string {
  return `${root}/${place}`;
}

function contextOf({ module, scope }: DecisionLogKey, key: string): string {
  return `ledger\n${module}\n${scope}\n${key}`;
}
