import type { EphemeralStores } from '../gateway/ephemeral-stores.ts';
import type { Budgets } from '../kernel/ports/budget.ts';
import type { SharedState, Slots, Versions } from '../kernel/ports/shared-state.ts';
import { limits } from './limits.ts';
import { RemoteCacheBackend, type StoreRpc } from './remote-cache-backend.ts';
import { RemoteSlots } from './remote-slots.ts';
import { RemoteVersions } from './remote-versions.ts';
import type { RpcPeer } from './rpc-peer.ts';
import type { UnusedSlots } from './slot-leases.ts';
import type { StoreMethods } from './store-methods.ts';

export interface RemoteStores extends EphemeralStores {
  /** Drops the cached state of an account and returns its leased slots. */
  forgetAccount(accountId: string): UnusedSlots | undefined;
}

type PrimaryRpc = Pick<
  RpcPeer<object, StoreMethods>,
  'invoke' | 'invokeWithTimeout' | 'hasEnded' | 'pending'
>;

/** Stores in the primary process. */
export function createRemoteStores(peer: PrimaryRpc): RemoteStores {
  const versions = new RemoteVersions(peer);
  const slots = new RemoteSlots(peer, (accountId, version) => versions.onVersionSeen(accountId, version));
  const cacheBackend = new RemoteCacheBackend(peer, 'cacheBackend');
  const turnCacheBackend = new RemoteCacheBackend(peer, 'turnCacheBackend');
  return {
    shared: createRemoteSharedState(peer, slots, versions),
    forgetAccount(accountId) {
      versions.forget(accountId);
      return slots.forget(accountId);
    },
    budgets: createRemoteBudgets(peer),
    cacheBackend,
    turnCacheBackend,
    erase: (accountTraces) => peer.invoke('erase', accountTraces),
    gauges: [
      {
        name: 'weir_primary_pending',
        help: `Pending RPC calls to the primary process, max ${limits.workerPendingMax} per worker`,
        read: () => peer.pending,
      },
      {
        name: 'weir_shelf_pending_bytes',
        help: 'Bytes being sent to the primary process',
        read: () => cacheBackend.pendingBytes + turnCacheBackend.pendingBytes,
      },
    ],
  };
}

function createRemoteBudgets(peer: StoreRpc): Budgets {
  return {
    hold: (request) => peer.invoke('hold', request),
    settle: (hold, holdSettlement) => peer.invoke('settle', hold, holdSettlement),
    renew: (hold) => peer.invoke('renewHold', hold),
    read: (budgetHolder, budgetWindows) => peer.invoke('readBudget', budgetHolder, budgetWindows),
    begin: (budgetHolder, budgetWindows, spentByWindow) =>
      peer.invoke('startBudget', budgetHolder, budgetWindows, spentByWindow),
    forget: (budgetHolder) => peer.invoke('forgetBudget', budgetHolder),
  };
}

function createRemoteSharedState(peer: StoreRpc, slots: Slots, versions: Versions): SharedState {
  return {
    slots,
    versions,
    rateLimiter: {
      count: (name, limit) => peer.invoke('countAttempt', name, limit),
      forget: (name) => peer.invoke('forgetAttempts', name),
    },
    health: {
      publish: (name, processId, report) => peer.invoke('publishHealth', name, processId, report),
      read: (names) => peer.invoke('readHealth', names),
    },
    counters: {
      add: (name, addition) => peer.invoke('addCount', name, addition),
      correct: (name, correction) => peer.invoke('correctCount', name, correction),
      takeSlot: (name, request) => peer.invoke('takeModuleSlot', name, request),
      releaseSlot: (name, holder) => peer.invoke('releaseModuleSlot', name, holder),
    },
    callRates: {
      take: (caller, call) => peer.invoke('takeCall', caller, call),
      renew: (caller, lease) => peer.invoke('renewCall', caller, lease),
      settle: (caller, settlement) => peer.invoke('settleCall', caller, settlement),
    },
    ping: () => peer.invoke('ping'),
    close: async () => undefined,
  };
}
