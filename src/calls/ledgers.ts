import type { Sealing } from '../accounts/sealing.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Ledger } from '../kernel/conversation/ledger.ts';
import { GatewayError } from '../kernel/errors.ts';
import { isJsonObject, parseExact } from '../kernel/json.ts';
import { limits } from '../kernel/limits.ts';
import { Lru } from '../kernel/lru.ts';
import type { ModuleStore, ModuleStores, StoredEntry, StoredValue } from '../kernel/ports/module-store.ts';

export interface LedgersParts {
  readonly stores: ModuleStores;
  readonly clock: Clock;
  /** Decisions quote what was said. */
  readonly sealing: Sealing;
}

/** Whose decisions: those of one module in one conversation of one tenant. */
export interface LedgerOf {
  readonly module: string;
  readonly scope: string;
  /** The conversation's. */
  readonly root: string;
}

/** What is known here of a conversation's decisions, as JSON. None ever changes, so that what is known stays right. */
interface Opened {
  readonly decided: Map<string, string>;
  /** Decisions that are being made. */
  readonly deciding: Map<string, Promise<string>>;
  /** That of the conversation's mark when its decisions were read. */
  version: number;
}

/**
 * The decisions of modules, each an entry in their stores, and those of the latest conversations in memory. Beside them a
 * conversation has a mark that is written with every decision: where it is unchanged, no other process knows more.
 */
export class Ledgers {
  readonly #parts: LedgersParts;
  #opened = new Lru<Promise<Opened>>(limits.ledgersOpen);
  #openedChars = 0;
  #sinceSweep = 0;
  /** Where the sweep of each store goes on. */
  readonly #sweeps = new Lru<string>(limits.ledgersOpen);

  constructor(parts: LedgersParts) {
    this.#parts = parts;
  }

  /** For one call: what others decide while it is under way needn't be seen. */
  of(whose: LedgerOf): Ledger {
    let fresh: Promise<Opened> | undefined;
    /** What was read just now is as fresh as can be. */
    const freshest = (opened: Promise<Opened>, wasOpen: boolean) => {
      fresh ??= wasOpen ? this.#fresh(whose) : opened;
      return fresh;
    };
    const json = async (place: string) => {
      if (place === '') throw new Error('a place in a ledger needs a name');
      const wasOpen = this.#opened.get(nameOf(whose)) !== undefined;
      const opened = this.#open(whose);
      const known = (await opened).decided.get(place);
      return known ?? (await freshest(opened, wasOpen)).decided.get(place);
    };
    return {
      isEmpty: async () => {
        const wasOpen = this.#opened.get(nameOf(whose)) !== undefined;
        const opened = this.#open(whose);
        if ((await opened).decided.size > 0) return false;
        return (await freshest(opened, wasOpen)).decided.size === 0;
      },
      async recall(place) {
        const decided = await json(place);
        return decided === undefined ? undefined : parseExact(decided);
      },
      once: async (place, decide) =>
        parseExact((await json(place)) ?? (await this.#once(whose, place, decide))),
    };
  }

  async #once(whose: LedgerOf, place: string, decide: () => unknown): Promise<string> {
    const opened = await this.#open(whose);
    const known = opened.decided.get(place) ?? opened.deciding.get(place);
    if (known !== undefined) return known;
    const deciding = this.#decide(whose, place, decide).finally(() => opened.deciding.delete(place));
    opened.deciding.set(place, deciding);
    return deciding;
  }

  /** Of two who decide at the same time, the first to be stored is right. */
  async #decide(whose: LedgerOf, place: string, decide: () => unknown): Promise<string> {
    const json = JSON.stringify(await decide());
    if (json === undefined) throw new Error(`what is decided about "${place}" must be JSON`);
    const store = this.#storeOf(whose);
    const key = keyOf(whose, place);
    const value = this.#sealed(json, whose, key);
    this.#sweepNowAndThen(whose);
    const added = await this.#added(whose, key, value);
    const decided = added === undefined ? await this.#decidedBefore(whose, key, value) : undefined;
    const opened = await this.#open(whose);
    const mark = decided === undefined ? await store.put(keyOf(whose, ''), null) : undefined;
    if (mark?.version === opened.version + 1) opened.version = mark.version;
    this.#remember(opened, place, decided ?? json);
    return decided ?? json;
  }

  /** In a store that is full, conversations of yesterday make room for those of today. */
  async #added(whose: LedgerOf, key: string, value: unknown): Promise<StoredValue | undefined> {
    const store = this.#storeOf(whose);
    try {
      return await store.put(key, value, 0);
    } catch (failure) {
      if (GatewayError.is(failure)) throw failure;
      if ((await this.#sweep(whose, limits.fullLedgerLifeMs)) === 0) throw failure;
      return store.put(key, value, 0);
    }
  }

  /** What nobody can open any more is replaced, and undefined. */
  async #decidedBefore(whose: LedgerOf, key: string, value: unknown): Promise<string | undefined> {
    const store = this.#storeOf(whose);
    const stored = await store.get(key);
    const json = stored === undefined ? undefined : this.#unsealed(stored.value, whose, key);
    if (json === undefined) await store.put(key, value, stored?.version ?? 0);
    return json;
  }

  /** With what other processes have decided. */
  async #fresh(whose: LedgerOf): Promise<Opened> {
    const opened = await this.#open(whose);
    const mark = await this.#storeOf(whose).get(keyOf(whose, ''));
    if ((mark?.version ?? 0) === opened.version) return opened;
    this.#opened.delete(nameOf(whose));
    return this.#open(whose);
  }

  #open(whose: LedgerOf): Promise<Opened> {
    const name = nameOf(whose);
    const before = this.#opened.get(name);
    if (before !== undefined) return before;
    const opened = this.#load(whose);
    opened.catch(() => this.#opened.delete(name));
    this.#opened.set(name, opened);
    return opened;
  }

  async #load(whose: LedgerOf): Promise<Opened> {
    const store = this.#storeOf(whose);
    const prefix = keyOf(whose, '');
    const mark = await store.get(prefix);
    const opened: Opened = { decided: new Map(), deciding: new Map(), version: mark?.version ?? 0 };
    if (mark === undefined) return opened;
    for (let after = prefix; opened.decided.size < limits.ledgerEntriesMax; ) {
      const page = await store.list({ prefix, after });
      for (const entry of page) {
        const json = this.#unsealed(entry.value, whose, entry.key);
        if (json === undefined) continue;
        this.#remember(opened, entry.key.slice(prefix.length), json);
        this.#keepAlive(store, entry);
      }
      if (page.length < limits.modulePageMax) break;
      after = page.at(-1)?.key ?? '';
    }
    this.#keepAlive(store, { ...mark, key: prefix });
    return opened;
  }

  #remember({ decided }: Opened, place: string, json: string): void {
    decided.set(place, json);
    this.#openedChars += json.length;
    if (this.#openedChars < limits.ledgerCharsKept) return;
    // What is needed is read again.
    this.#opened = new Lru(limits.ledgersOpen);
    this.#openedChars = 0;
  }

  /** A conversation that goes on keeps what was decided in it. */
  #keepAlive(store: ModuleStore, { key, value, version, updatedAtMs }: StoredEntry): void {
    if (this.#parts.clock.now() - updatedAtMs < limits.ledgerLifeMs / 2) return;
    void store.put(key, value, version).catch(() => undefined);
  }

  #sweepNowAndThen(whose: LedgerOf): void {
    if (++this.#sinceSweep < limits.ledgerEntriesBetweenSweeps) return;
    this.#sinceSweep = 0;
    void this.#sweep(whose, limits.ledgerLifeMs).catch(() => undefined);
  }

  /** One page of a store at a time: who fills a store goes through all of it, over and over. */
  async #sweep(whose: LedgerOf, lifeMs: number): Promise<number> {
    const store = this.#storeOf(whose);
    const name = `${whose.module}\n${whose.scope}`;
    const page = await store.list({ after: this.#sweeps.get(name) });
    this.#sweeps.set(name, page.length < limits.modulePageMax ? '' : (page.at(-1)?.key ?? ''));
    const deadline = this.#parts.clock.now() - lifeMs;
    const over = page.filter(({ updatedAtMs }) => updatedAtMs < deadline);
    for (const { key } of over) await store.delete(key);
    return over.length;
  }

  #storeOf({ module, scope }: LedgerOf): ModuleStore {
    return this.#parts.stores.store(`${module}/ledger`, scope);
  }

  #sealed(json: string, whose: LedgerOf, key: string): unknown {
    const { sealedBy, sealed } = this.#parts.sealing.seal(json, contextOf(whose, key));
    return { by: sealedBy, sealed: Buffer.from(sealed).toString('base64') };
  }

  /** Undefined for what was sealed with a secret that is gone: then nothing was decided. */
  #unsealed(value: unknown, whose: LedgerOf, key: string): string | undefined {
    const { by, sealed } = isJsonObject(value) ? value : {};
    if (typeof by !== 'string' || typeof sealed !== 'string') return undefined;
    return this.#parts.sealing.open(
      { sealedBy: by, sealed: Buffer.from(sealed, 'base64') },
      contextOf(whose, key),
    );
  }
}

function nameOf({ module, scope, root }: LedgerOf): string {
  return `${module}\n${scope}\n${root}`;
}

function keyOf({ root }: LedgerOf, place: string): string {
  return `${root}/${place}`;
}

function contextOf({ module, scope }: LedgerOf, key: string): string {
  return `ledger\n${module}\n${scope}\n${key}`;
}
