import { patternTableConformance } from '../pattern-table-conformance.ts';
import type { SetUp } from './set-up.ts';

export function patternsConformance(setUp: SetUp): void {
  patternTableConformance('patterns', async (t) => {
    const { open, database } = await setUp(t);
    return [database.patterns, (await open()).patterns];
  });
}
