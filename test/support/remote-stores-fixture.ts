import type { TestContext } from 'node:test';
import type { InProcessStores } from '../../src/gateway/ephemeral-stores.ts';
import { MemoryBudgets } from '../../src/storage/memory/memory-budgets.ts';
import { MemoryCacheBackend } from '../../src/storage/memory/memory-cache-backend.ts';
import { MemorySharedState } from '../../src/storage/memory/memory-shared-state.ts';
import { createRemoteStores } from '../../src/workers/remote-stores.ts';
import type { WorkerMethods } from '../../src/workers/rpc-methods.ts';
import { RpcPeer } from '../../src/workers/rpc-peer.ts';
import { type LeaseHolder, SlotLeases } from '../../src/workers/slot-leases.ts';
import { createStoreHandlers, type StoreMethods } from '../../src/workers/store-methods.ts';
import type { ManualClock } from './manual-clock.ts';
import { createProcessLinkPair } from './process-link-pair.ts';

export function createInProcessStores(clock: ManualClock): InProcessStores {
  return {
    shared: new MemorySharedState(clock),
    budgets: new MemoryBudgets(clock),
    cacheBackend: new MemoryCacheBackend(clock),
    turnCacheBackend: new MemoryCacheBackend(clock),
    erase: async () => undefined,
    gauges: [],
  };
}

/** All processes that share a memory, and hear of changes with each other. */
export function createSharedHolders(memory: InProcessStores, idleMs = 60_000, returnTimeoutMs = 500) {
  const holders = new Set<LeaseHolder>();
  return {
    memory,
    holders,
    ahead: new SlotLeases({ slots: memory.shared.slots, holders, idleMs, returnTimeoutMs }),
  };
}

/** The memory as another process sees it. */
export function createRemoteStoresFixture(
  t: TestContext,
  memory: InProcessStores,
  { holders, ahead } = createSharedHolders(memory),
) {
  const { ends, messages, cut } = createProcessLinkPair(t);
  const [here, there] = ends;
  const leaseHolder: LeaseHolder = {
    get hasEnded() {
      return primary.hasEnded;
    },
    forgetAccount: (accountId, withinMs) => primary.invokeWithTimeout(withinMs, 'forgetAccount', accountId),
  };
  const primary = new RpcPeer<StoreMethods, Process>({
    channel: there,
    handlers: createStoreHandlers(memory, ahead, leaseHolder),
  });
  holders.add(leaseHolder);
  const handlers: Process = { forgetAccount: async (accountId) => seen.forgetAccount(accountId) };
  const seen = createRemoteStores(new RpcPeer<Process, StoreMethods>({ channel: here, handlers }));
  const asked = (name: string) =>
    messages.flatMap((rpcMessage) => rpcMessage.invocations.filter((one) => one.name === name));
  return { ...seen, messages, asked, cut, holder: leaseHolder };
}

type Process = Pick<WorkerMethods, 'forgetAccount'>;
