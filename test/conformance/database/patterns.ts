import { patternTableConformance } from '../pattern-table.ts';
import type { SetUpDatabase } from './set-up.ts';

export function patternsConformance(setUpDatabase: SetUpDatabase): void {
  patternTableConformance('patterns', async (t) => {
    const { open, database } = await setUpDatabase(t);
    return [database.patterns, (await open()).patterns];
  });
}
