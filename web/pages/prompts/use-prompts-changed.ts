import { useQueryClient } from '@tanstack/react-query';

/** Reads prompts again after a change. */
export function usePromptsChanged(onDone?: () => void): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: ['prompts'] });
    onDone?.();
  };
}
