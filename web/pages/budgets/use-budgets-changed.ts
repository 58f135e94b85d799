import { useQueryClient } from '@tanstack/react-query';

/** Reads budgets again. */
export function useBudgetsChanged(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ['stored-budgets'] });
}
