import { useQueryClient } from '@tanstack/react-query';

/** Reads again what a changed alias is part of. */
export function useAliasesChanged(onClose: () => void): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await Promise.all(
      ['aliases', 'models', 'configurations'].map((key) => client.invalidateQueries({ queryKey: [key] })),
    );
    onClose();
  };
}
