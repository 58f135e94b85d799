import { useQueryClient } from '@tanstack/react-query';

/** Reads again what a changed rule is part of. */
export function useRulesChanged(onClose: () => void): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await Promise.all(
      ['rules', 'configurations'].map((key) => client.invalidateQueries({ queryKey: [key] })),
    );
    onClose();
  };
}
