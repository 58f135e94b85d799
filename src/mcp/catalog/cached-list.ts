import type { Clock } from '../../lib/clock.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ServerList } from '../upstream/server-connection.ts';
import type { CatalogItem } from './catalog-item.ts';
import { limits } from './limits.ts';

export interface CachedListParts {
  readonly clock: Clock;
  /** Asks the server for all items. */
  request(signal: AbortSignal): Promise<ServerList>;
  itemsOf(definitions: readonly JsonObject[]): ReadonlyMap<string, CatalogItem>;
  /** Called when a list differs from the one before. */
  onChange(): void;
}

/** A list of a server at this moment. */
export interface ListState {
  readonly items: ReadonlyMap<string, CatalogItem>;
  /** For how long it may be cached. */
  readonly ttlMs: number;
  readonly isPublic: boolean;
  /** Whether the server could not be asked: the items are those of its last good list, or missing. */
  readonly isAway: boolean;
}

interface GoodList {
  readonly items: ReadonlyMap<string, CatalogItem>;
  readonly isPublic: boolean;
  readonly atMs: number;
  readonly freshUntilMs: number;
}

/**
 * One list of one server, for one authorization. It is requested in the background, never by two requests at once, and a server that
 * doesn't answer makes a client wait only once.
 */
export class CachedList {
  readonly #parts: CachedListParts;
  #good: GoodList | undefined;
  #refresh: { readonly done: Promise<void>; readonly startedAt: number } | undefined;
  /** Whether the list changed at the server after the request under way was sent. */
  #isOutdated = false;
  /** Whether the list in memory is known to be wrong. */
  #isInvalid = false;
  #failures = 0;
  #retryAtMs = 0;
  #usedAtMs = 0;

  constructor(parts: CachedListParts) {
    this.#parts = parts;
  }

  get usedAtMs(): number {
    return this.#usedAtMs;
  }

  /** The newest list that can be had without a long wait. */
  read(): ListState | Promise<ListState> {
    const nowMs = this.#parts.clock.now();
    this.#usedAtMs = nowMs;
    const good = this.#good;
    const isFresh = good !== undefined && !this.#isInvalid && nowMs < good.freshUntilMs;
    if (isFresh) return this.#state(nowMs);
    if (this.#refresh === undefined && nowMs >= this.#retryAtMs) this.#start();
    const isUsable = good !== undefined && !this.#isInvalid && nowMs < good.freshUntilMs + limits.staleMs;
    const refresh = this.#refresh;
    if (isUsable || refresh === undefined || this.#failures > 0) return this.#state(nowMs);
    return this.#waitFor(refresh);
  }

  /** Asks the server again, unless it was asked a moment ago. */
  renew(): ListState | Promise<ListState> {
    const good = this.#good;
    if (good !== undefined && this.#failures === 0 && this.#parts.clock.now() - good.atMs >= limits.renewalMs)
      this.invalidate();
    return this.read();
  }

  /** The server says that its list has changed. */
  invalidate(): void {
    this.#isInvalid = true;
    this.#retryAtMs = 0;
    if (this.#refresh === undefined) this.#start();
    else this.#isOutdated = true;
  }

  async #waitFor({ done, startedAt }: { readonly done: Promise<void>; readonly startedAt: number }) {
    const leftMs = startedAt + limits.listWaitMs - performance.now();
    if (leftMs > 0) {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, leftMs);
      await Promise.race([done, late]);
      clearTimeout(timer);
    }
    return this.#state(this.#parts.clock.now());
  }

  #state(nowMs: number): ListState {
    const good = this.#good;
    if (good === undefined || nowMs > good.atMs + limits.lastGoodMs)
      return { items: new Map(), ttlMs: 0, isPublic: false, isAway: true };
    const ttlMs = Math.max(0, good.freshUntilMs - nowMs);
    return { items: good.items, ttlMs, isPublic: good.isPublic, isAway: this.#isLate(nowMs) };
  }

  /** Whether the newest list is too old to pass for the current one. */
  #isLate(nowMs: number): boolean {
    return (
      this.#failures > 0 || nowMs >= (this.#good?.freshUntilMs ?? 0) + limits.staleMs + limits.listWaitMs
    );
  }

  #start(): void {
    this.#isOutdated = false;
    const done = this.#request().finally(() => {
      this.#refresh = undefined;
      if (this.#isOutdated) this.#start();
    });
    this.#refresh = { done, startedAt: performance.now() };
  }

  async #request(): Promise<void> {
    const { clock, request, itemsOf, onChange } = this.#parts;
    try {
      const list = await request(AbortSignal.timeout(limits.listRequestMs));
      const items = itemsOf(list.items);
      const before = this.#good;
      const isSame = before !== undefined && haveSameItems(before.items, items);
      const nowMs = clock.now();
      this.#good = {
        items: isSame ? before.items : items,
        isPublic: list.cacheScope === 'public',
        atMs: nowMs,
        freshUntilMs: nowMs + Math.min(list.ttlMs, limits.ttlMsMax),
      };
      this.#failures = 0;
      this.#retryAtMs = 0;
      this.#isInvalid = false;
      if (before !== undefined && !isSame) onChange();
    } catch {
      // The list says that the server is away; calls of its tools say why.
      const waitMs = Math.min(limits.retryMs * 2 ** this.#failures, limits.retryMsMax);
      this.#failures++;
      this.#retryAtMs = clock.now() + waitMs;
    }
  }
}

/** Both are in the order of their names, so a server that shuffles its list changes nothing. */
function haveSameItems(
  one: ReadonlyMap<string, CatalogItem>,
  other: ReadonlyMap<string, CatalogItem>,
): boolean {
  return one.size === other.size && one.values().every(({ name, json }) => other.get(name)?.json === json);
}
