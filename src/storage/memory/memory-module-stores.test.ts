import { moduleStoresConformance } from '../../../test/conformance/module-stores.ts';
import { MovedClock } from '../../../test/support/moved-clock.ts';
import { limits } from '../limits.ts';
import { MemoryModuleStores } from './memory-module-stores.ts';

moduleStoresConformance('stores of modules in memory', () => {
  const stores = new MemoryModuleStores(new MovedClock());
  return {
    replicas: [stores, stores],
    fill: async (left) => {
      const store = stores.store('m', 's');
      for (let entries = 1; entries < limits.moduleEntriesMax - left; entries++)
        await store.put(`fill ${entries}`, 1);
    },
  };
});
