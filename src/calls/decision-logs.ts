import type { Sealer } from '../accounts/sealer.ts';
import type { DecisionLog } from '../kernel/conversation/decision-log.ts';
import { GatewayError } from '../kernel/errors.ts';
import { limits as kernelLimits } from '../kernel/limits.ts';
import type {
  KeyValueStore,
  KeyValueStores,
  StoredEntry,
  StoredValue,
} from '../kernel/ports/module-store.ts';
import type { Clock } from '../lib/clock.ts';
import { isJsonObject, parseExact } from '../lib/json.ts';
import { Lru } from '../lib/lru.ts';
import { limits } from './limits.ts';

export interface DecisionLogsParts {
  readonly stores: KeyValueStores;
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
  of(logKey: DecisionLogKey): DecisionLog {
    let fresh: Promise<LoadedDecisions> | undefined;
    /** Refreshes at most once, and not right after loading. */
    const freshest = (opened: Promise<LoadedDecisions>, wasOpen: boolean) => {
      fresh ??= wasOpen ? this.#refresh(logKey) : opened;
      return fresh;
    };
    /** The decisions that exist, as JSON. */
    const find = async (names: readonly string[]) => {
      if (names.includes('')) throw new Error('a decision needs a name');
      const named = ({ decisions }: LoadedDecisions) =>
        new Map(
          names.flatMap((name) => {
            const json = decisions.get(name);
            return json === undefined ? [] : [[name, json]];
          }),
        );
      if (fresh !== undefined) return named(await fresh);
      const wasOpen = this.#loaded.get(nameOf(logKey)) !== undefined;
      const opened = this.#getOrLoad(logKey);
      const known = named(await opened);
      return known.size === names.length ? known : named(await freshest(opened, wasOpen));
    };
    return {
      isEmpty: async () => {
        const wasOpen = this.#loaded.get(nameOf(logKey)) !== undefined;
        const opened = this.#getOrLoad(logKey);
        if ((await opened).decisions.size > 0) return false;
        return (await freshest(opened, wasOpen)).decisions.size === 0;
      },
      async get(name) {
        const decided = (await find([name])).get(name);
        return decided === undefined ? undefined : parseExact(decided);
      },
      async getAll(names) {
        const decided = await find(names);
        return new Map([...decided].map(([name, json]) => [name, parseExact(json)]));
      },
      decideOnce: async (name, decide) =>
        parseExact((await find([name])).get(name) ?? (await this.#decideOnce(logKey, name, decide))),
    };
  }

  async #decideOnce(logKey: DecisionLogKey, name: string, decide: () => unknown): Promise<string> {
    const loadedDecisions = await this.#getOrLoad(logKey);
    const known = loadedDecisions.decisions.get(name) ?? loadedDecisions.pending.get(name);
    if (known !== undefined) return known;
    const deciding = this.#decide(logKey, name, decide).finally(() => loadedDecisions.pending.delete(name));
    loadedDecisions.pending.set(name, deciding);
    return deciding;
  }

  /** If two processes decide at the same time, the one stored first wins. */
  async #decide(logKey: DecisionLogKey, name: string, decide: () => unknown): Promise<string> {
    const json = JSON.stringify(await decide());
    if (json === undefined) throw new Error(`the decision "${name}" must be a JSON value`);
    const store = this.#storeOf(logKey);
    const key = keyOf(logKey, name);
    const value = this.#seal(json, logKey, key);
    this.#maybeSweep(logKey);
    const added = await this.#addDecision(logKey, key, value);
    const decided = added === undefined ? await this.#readEarlierDecision(logKey, key, value) : undefined;
    const loadedDecisions = await this.#getOrLoad(logKey);
    const mark = decided === undefined ? await store.put(keyOf(logKey, ''), null) : undefined;
    if (mark?.version === loadedDecisions.version + 1) loadedDecisions.version = mark.version;
    this.#remember(loadedDecisions, name, decided ?? json);
    return decided ?? json;
  }

  /** If the store is full, deletes older conversations and tries again. */
  async #addDecision(logKey: DecisionLogKey, key: string, value: unknown): Promise<StoredValue | undefined> {
    const store = this.#storeOf(logKey);
    try {
      return await store.put(key, value, 0);
    } catch (failure) {
      if (GatewayError.is(failure)) throw failure;
      if ((await this.#sweep(logKey, limits.fullDecisionLogLifeMs)) === 0) throw failure;
      return store.put(key, value, 0);
    }
  }

  /** Replaces an entry that can't be unsealed, and returns undefined. */
  async #readEarlierDecision(
    logKey: DecisionLogKey,
    key: string,
    value: unknown,
  ): Promise<string | undefined> {
    const store = this.#storeOf(logKey);
    const stored = await store.get(key);
    const json = stored === undefined ? undefined : this.#unseal(stored.value, logKey, key);
    if (json === undefined) await store.put(key, value, stored?.version ?? 0);
    return json;
  }

  /** Reloads if other processes have added decisions. */
  async #refresh(logKey: DecisionLogKey): Promise<LoadedDecisions> {
    const loadedDecisions = await this.#getOrLoad(logKey);
    const mark = await this.#storeOf(logKey).get(keyOf(logKey, ''));
    if ((mark?.version ?? 0) === loadedDecisions.version) return loadedDecisions;
    this.#loaded.delete(nameOf(logKey));
    return this.#getOrLoad(logKey);
  }

  #getOrLoad(logKey: DecisionLogKey): Promise<LoadedDecisions> {
    const name = nameOf(logKey);
    const before = this.#loaded.get(name);
    if (before !== undefined) return before;
    const opened = this.#load(logKey);
    opened.catch(() => this.#loaded.delete(name));
    this.#loaded.set(name, opened);
    return opened;
  }

  async #load(logKey: DecisionLogKey): Promise<LoadedDecisions> {
    const store = this.#storeOf(logKey);
    const prefix = keyOf(logKey, '');
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
        const json = this.#unseal(entry.value, logKey, entry.key);
        if (json === undefined) continue;
        this.#remember(loadedDecisions, entry.key.slice(prefix.length), json);
        this.#keepAlive(store, entry);
      }
      if (page.length < kernelLimits.modulePageMax) break;
      after = page.at(-1)?.key ?? '';
    }
    this.#keepAlive(store, { ...mark, key: prefix });
    return loadedDecisions;
  }

  #remember({ decisions }: LoadedDecisions, name: string, json: string): void {
    decisions.set(name, json);
    this.#loadedChars += json.length;
    if (this.#loadedChars < limits.decisionLogCharsMax) return;
    // Decisions still in use are loaded again.
    this.#loaded = new Lru(limits.openDecisionLogsMax);
    this.#loadedChars = 0;
  }

  /** Rewrites old entries so that an active conversation keeps its decisions. */
  #keepAlive(store: KeyValueStore, { key, value, version, updatedAtMs }: StoredEntry): void {
    if (this.#parts.clock.now() - updatedAtMs < limits.decisionLogLifeMs / 2) return;
    void store.put(key, value, version).catch(() => undefined);
  }

  #maybeSweep(logKey: DecisionLogKey): void {
    if (++this.#sinceSweep < limits.decisionLogEntriesBetweenSweeps) return;
    this.#sinceSweep = 0;
    void this.#sweep(logKey, limits.decisionLogLifeMs).catch(() => undefined);
  }

  /** Sweeps one page of a store; repeated sweeps go through all of it. */
  async #sweep(logKey: DecisionLogKey, lifeMs: number): Promise<number> {
    const store = this.#storeOf(logKey);
    const name = `${logKey.module}\n${logKey.scope}`;
    const page = await store.list({ after: this.#sweeps.get(name) });
    this.#sweeps.set(name, page.length < kernelLimits.modulePageMax ? '' : (page.at(-1)?.key ?? ''));
    const deadline = this.#parts.clock.now() - lifeMs;
    const over = page.filter(({ updatedAtMs }) => updatedAtMs < deadline);
    for (const { key } of over) await store.delete(key);
    return over.length;
  }

  #storeOf({ module, scope }: DecisionLogKey): KeyValueStore {
    return this.#parts.stores.store(`${module}/ledger`, scope);
  }

  #seal(json: string, logKey: DecisionLogKey, key: string): unknown {
    const { sealedBy, sealed } = this.#parts.sealing.seal(json, contextOf(logKey, key));
    return { by: sealedBy, sealed: Buffer.from(sealed).toString('base64') };
  }

  /** Undefined if the sealing secret is gone: then there is no decision. */
  #unseal(value: unknown, logKey: DecisionLogKey, key: string): string | undefined {
    const { by, sealed } = isJsonObject(value) ? value : {};
    if (typeof by !== 'string' || typeof sealed !== 'string') return undefined;
    return this.#parts.sealing.open(
      { sealedBy: by, sealed: Buffer.from(sealed, 'base64') },
      contextOf(logKey, key),
    );
  }
}

function nameOf({ module, scope, root }: DecisionLogKey): string {
  return `${module}\n${scope}\n${root}`;
}

function keyOf({ root }: DecisionLogKey, name: string): string {
  return `${root}/${name}`;
}

function contextOf({ module, scope }: DecisionLogKey, key: string): string {
  return `ledger\n${module}\n${scope}\n${key}`;
}
