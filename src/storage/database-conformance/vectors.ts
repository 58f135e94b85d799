import { vectorTableConformance } from '../vector-table-conformance.ts';
import type { SetUp } from './set-up.ts';

export function vectorsConformance(setUp: SetUp): void {
  vectorTableConformance('vectors', async (t) => {
    const { open, database } = await setUp(t);
    return [database.vectors, (await open()).vectors];
  });
}
