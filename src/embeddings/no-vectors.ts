import type { VectorShelves } from '../kernel/ports/vectors.ts';

/** For where no vectors are kept. */
export const noVectors: VectorShelves = {
  vectors: () => ({
    add: async () => ({ why: 'away' }),
    search: async () => ({ why: 'away' }),
    remove: async () => ({ why: 'away' }),
    forget: async () => ({ why: 'away' }),
  }),
  forget: async () => undefined,
};
