import type { Versions } from '../kernel/ports/shared-state.ts';
import { AccountChangeInbox } from './account-change-inbox.ts';
import type { Settings } from './settings.ts';

/** Notifies a running gateway, from another process, that an account has changed. */
export interface AccountChangeNotifier extends Pick<Versions, 'renew'> {
  close(): Promise<void>;
}

/** Calls `onUnread` if no gateway is running. */
export async function openAccountChangeNotifier(
  { stores, dataDir }: Settings,
  onUnread: () => void = () => undefined,
): Promise<AccountChangeNotifier> {
  if (stores === undefined) {
    const accountChangeInbox = new AccountChangeInbox(dataDir);
    return {
      async renew(accountId) {
        if (!(await accountChangeInbox.notify(accountId))) onUnread();
      },
      close: async () => undefined,
    };
  }
  const { RedisConnection } = await import('../storage/redis/redis-connection.ts');
  const { RedisVersions } = await import('../storage/redis/redis-versions.ts');
  const link = await RedisConnection.open({ url: stores.redis });
  const versions = new RedisVersions(link);
  return { renew: (accountId) => versions.renew(accountId), close: async () => link.close() };
}
