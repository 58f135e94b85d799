import type { Versions } from '../kernel/ports/shared-state.ts';
import { AccountChangeInbox } from './account-change-inbox.ts';
import type { Settings } from './settings.ts';

/** How a process beside the gateway tells it that an account has changed. */
export interface AccountChangeNotifier extends Pick<Versions, 'renew'> {
  close(): Promise<void>;
}

/** `onUnread` hears where no gateway is running that could be told. */
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
