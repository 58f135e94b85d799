import { Sealer } from '../../../src/accounts/sealer.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { PatternTable } from '../../../src/modules/patterns/store/pattern-table.ts';
import { ModuleStoresWithCollections } from '../../../src/storage/module-stores.ts';
import { patternTableConformance } from '../pattern-table.ts';
import type { SetUpDatabase } from './set-up.ts';

export function patternsConformance(setUpDatabase: SetUpDatabase): void {
  const sealer = new Sealer([Buffer.alloc(32, 'test')]);
  patternTableConformance('patterns', async (t, { patternsMax, clock = systemClock } = {}) => {
    const { open, database } = await setUpDatabase(t);
    const tableOn = ({ modules: values, collections: entries }: typeof database) => {
      const stores = new ModuleStoresWithCollections({ values, entries, sealer, clock });
      return new PatternTable((owner) => stores.store('patterns', owner), patternsMax);
    };
    return [tableOn(database), tableOn(await open())];
  });
}
