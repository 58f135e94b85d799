import { useQueryClient } from '@tanstack/react-query';

/** Reads webhooks and their deliveries again. */
export function useWebhooksChanged(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ['webhooks'] });
}
