import { useQueryClient } from '@tanstack/react-query';

/** Reads the servers with their tools and authorizations again. */
export function useServersChanged(onClose?: () => void): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: ['mcp'] });
    onClose?.();
  };
}
