import type { EphemeralStores } from '../gateway/ephemeral-stores.ts';
import type { Budgets } from '../kernel/ports/budget.ts';
import type {
  Allowance,
  InFlightCalls,
  RateLimiter,
  SharedState,
  Slots,
  Versions,
} from '../kernel/ports/shared-state.ts';
import type { LeaseHolder, SlotGrant, SlotLeases } from './slot-leases.ts';

/** What workers ask of the memory that they share. */
export interface StoreMethods {
  readonly ping: SharedState['ping'];
  /** `usedUp` is the last that it was handed ahead, 0 for none; undefined where it wants no more. */
  takeSlot(
    allowance: Allowance,
    inFlightCalls: InFlightCalls | undefined,
    usedUp?: number,
  ): Promise<SlotGrant>;
  readonly reportInFlight: Slots['reportInFlight'];
  readonly giveBack: Slots['giveBack'];
  readonly undo: Slots['undo'];
  readonly startCount: Slots['begin'];
  readonly version: Versions['of'];
  readonly renew: Versions['renew'];
  readonly countAttempt: RateLimiter['count'];
  readonly forgetAttempts: RateLimiter['forget'];
  readonly hold: Budgets['hold'];
  readonly settle: Budgets['settle'];
  readonly renewHold: Budgets['renew'];
  readonly startBudget: Budgets['begin'];
  get(place: CacheEntryAddress): Promise<Uint8Array | undefined>;
  put(place: CacheEntryAddress, value: Uint8Array, ttlSeconds: number): Promise<void>;
  delete(place: CacheEntryAddress): Promise<void>;
  clearCache(which: Omit<CacheEntryAddress, 'key'>): Promise<void>;
  readonly erase: EphemeralStores['erase'];
}

export interface CacheEntryAddress {
  readonly backend: 'cacheBackend' | 'turnCacheBackend';
  readonly scope: string;
  readonly key: string;
}

/** The answers of the process that has the memory to one of the others. */
export function createStoreHandlers(
  ephemeralStores: EphemeralStores,
  ahead: SlotLeases,
  asking: LeaseHolder,
): StoreMethods {
  const { budgets } = ephemeralStores;
  const { slots, versions, rateLimiter } = ephemeralStores.shared;
  const shelf = ({ backend, scope }: CacheEntryAddress) => ephemeralStores[backend].cacheFor(scope);
  return {
    ping: () => ephemeralStores.shared.ping(),
    takeSlot: (allowance, inFlight, finishedLeaseId) =>
      ahead.take(asking, { allowance, inFlight, finishedLeaseId }),
    reportInFlight: (allowance, inFlightCalls) => slots.reportInFlight(allowance, inFlightCalls),
    giveBack: (allowance) => ahead.giveBack(allowance),
    undo: (allowance) => slots.undo(allowance),
    startCount: (allowance, used) => slots.begin(allowance, used),
    version: (accountId) => versions.of(accountId),
    async renew(accountId) {
      await versions.renew(accountId);
      await ahead.forgetAccount(accountId);
    },
    countAttempt: (name, limit) => rateLimiter.count(name, limit),
    forgetAttempts: (name) => rateLimiter.forget(name),
    hold: (asked) => budgets.hold(asked),
    settle: (held, holdSettlement) => budgets.settle(held, holdSettlement),
    renewHold: (held) => budgets.renew(held),
    startBudget: (budgetHolder, budgetWindows, spentByWindow) =>
      budgets.begin(budgetHolder, budgetWindows, spentByWindow),
    get: (place) => shelf(place).get(place.key),
    // A copy, since what has arrived is a part of its whole message and would keep all of it.
    put: (place, value, ttlSeconds) => shelf(place).put(place.key, new Uint8Array(value), ttlSeconds),
    delete: (place) => shelf(place).delete(place.key),
    clearCache: ({ backend, scope }) => ephemeralStores[backend].clear(scope),
    erase: (accountTraces) => ephemeralStores.erase(accountTraces),
  };
}
