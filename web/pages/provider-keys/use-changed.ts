import { useQueryClient } from '@tanstack/react-query';

/** What a stored key changes is read again. */
export function useChanged(onClose?: () => void): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await Promise.all(
      ['byok', 'models', 'own-providers'].map((key) => client.invalidateQueries({ queryKey: [key] })),
    );
    onClose?.();
  };
}
