import { useQueryClient } from '@tanstack/react-query';

/** What a stored key changes is read again. */
export function useChanged(onClose?: () => void): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: ['byok'] });
    await client.invalidateQueries({ queryKey: ['models'] });
    onClose?.();
  };
}
