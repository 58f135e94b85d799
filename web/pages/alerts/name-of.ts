import type { Webhook } from '../../api/queries.ts';

/** What a webhook is called in the list: its host, since paths of Slack are secret. */
export function nameOf({ url }: Pick<Webhook, 'url'>): string {
  return url === null ? 'Mail to your address' : new URL(url).host;
}
