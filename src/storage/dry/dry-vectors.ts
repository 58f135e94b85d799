import type { VectorStores } from '../../kernel/ports/vectors.ts';

/** Searches the vectors of other stores, and ignores changes. */
export function dryVectors(stores: VectorStores): VectorStores {
  const ignore = async () => ({});
  return {
    vectors(module, scope) {
      const stored = stores.vectors(module, scope);
      return {
        search: (near, query) => stored.search(near, query),
        data: (ids, part) => stored.data(ids, part),
        add: ignore,
        remove: ignore,
        forget: ignore,
      };
    },
    forget: async () => undefined,
  };
}
