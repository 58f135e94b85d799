import type { EphemeralStores } from '../gateway/ephemeral-stores.ts';
import type { Budgets } from '../kernel/ports/budget.ts';
import type { CallRates } from '../kernel/ports/call-rates.ts';
import type { Counters } from '../kernel/ports/counters.ts';
import type { HealthBoard } from '../kernel/ports/health.ts';
import type {
  Allowance,
  InFlightCalls,
  RateLimiter,
  SharedState,
  Slots,
  Versions,
} from '../kernel/ports/shared-state.ts';
import type { LeaseHolder, SlotGrant, SlotLeases } from './slot-leases.ts';

/** RPC methods of the shared stores. */
export interface StoreMethods {
  readonly ping: SharedState['ping'];
  /** `finishedLeaseId` is 0 if there was no lease yet, and undefined if the worker wants none. */
  takeSlot(
    allowance: Allowance,
    inFlightCalls: InFlightCalls | undefined,
    finishedLeaseId?: number,
  ): Promise<SlotGrant>;
  readonly reportInFlight: Slots['reportInFlight'];
  readonly giveBack: Slots['giveBack'];
  readonly undo: Slots['undo'];
  readonly startCount: Slots['begin'];
  readonly version: Versions['of'];
  readonly renew: Versions['renew'];
  readonly countAttempt: RateLimiter['count'];
  readonly forgetAttempts: RateLimiter['forget'];
  readonly publishHealth: HealthBoard['publish'];
  readonly readHealth: HealthBoard['read'];
  readonly addCount: Counters['add'];
  readonly correctCount: Counters['correct'];
  readonly takeModuleSlot: Counters['takeSlot'];
  readonly releaseModuleSlot: Counters['releaseSlot'];
  readonly takeCall: CallRates['take'];
  readonly renewCall: CallRates['renew'];
  readonly settleCall: CallRates['settle'];
  readonly hold: Budgets['hold'];
  readonly settle: Budgets['settle'];
  readonly renewHold: Budgets['renew'];
  readonly readBudget: Budgets['read'];
  readonly startBudget: Budgets['begin'];
  readonly forgetBudget: Budgets['forget'];
  get(address: CacheEntryAddress): Promise<Uint8Array | undefined>;
  put(address: CacheEntryAddress, value: Uint8Array, ttlSeconds: number): Promise<void>;
  delete(address: CacheEntryAddress): Promise<void>;
  clearCache(address: Omit<CacheEntryAddress, 'key'>): Promise<void>;
  readonly erase: EphemeralStores['erase'];
}

export interface CacheEntryAddress {
  readonly backend: 'cacheBackend' | 'turnCacheBackend';
  readonly scope: string;
  readonly key: string;
}

/** The handlers of the primary process for one worker. */
export function createStoreHandlers(
  ephemeralStores: EphemeralStores,
  leases: SlotLeases,
  worker: LeaseHolder,
): StoreMethods {
  const { budgets } = ephemeralStores;
  const { slots, versions, rateLimiter, health, counters, callRates } = ephemeralStores.shared;
  const cacheOf = ({ backend, scope }: CacheEntryAddress) => ephemeralStores[backend].cacheFor(scope);
  return {
    ping: () => ephemeralStores.shared.ping(),
    takeSlot: (allowance, inFlight, finishedLeaseId) =>
      leases.take(worker, { allowance, inFlight, finishedLeaseId }),
    reportInFlight: (allowance, inFlightCalls) => slots.reportInFlight(allowance, inFlightCalls),
    giveBack: (allowance) => leases.giveBack(allowance),
    undo: (allowance) => slots.undo(allowance),
    startCount: (allowance, used) => slots.begin(allowance, used),
    version: (accountId) => versions.of(accountId),
    async renew(accountId) {
      await versions.renew(accountId);
      await leases.forgetAccount(accountId);
    },
    countAttempt: (name, limit) => rateLimiter.count(name, limit),
    forgetAttempts: (name) => rateLimiter.forget(name),
    publishHealth: (name, processId, report) => health.publish(name, processId, report),
    readHealth: (names) => health.read(names),
    addCount: (name, addition) => counters.add(name, addition),
    correctCount: (name, correction) => counters.correct(name, correction),
    takeModuleSlot: (name, request) => counters.takeSlot(name, request),
    releaseModuleSlot: (name, holder) => counters.releaseSlot(name, holder),
    takeCall: (caller, call) => callRates.take(caller, call),
    renewCall: (caller, lease) => callRates.renew(caller, lease),
    settleCall: (caller, settlement) => callRates.settle(caller, settlement),
    hold: (request) => budgets.hold(request),
    settle: (hold, holdSettlement) => budgets.settle(hold, holdSettlement),
    renewHold: (hold) => budgets.renew(hold),
    readBudget: (budgetHolder, budgetWindows) => budgets.read(budgetHolder, budgetWindows),
    startBudget: (budgetHolder, budgetWindows, spentByWindow) =>
      budgets.begin(budgetHolder, budgetWindows, spentByWindow),
    forgetBudget: (budgetHolder) => budgets.forget(budgetHolder),
    get: (address) => cacheOf(address).get(address.key),
    // Copies the value, since a view would keep the whole message in memory.
    put: (address, value, ttlSeconds) => cacheOf(address).put(address.key, new Uint8Array(value), ttlSeconds),
    delete: (address) => cacheOf(address).delete(address.key),
    clearCache: ({ backend, scope }) => ephemeralStores[backend].clear(scope),
    erase: (accountTraces) => ephemeralStores.erase(accountTraces),
  };
}
