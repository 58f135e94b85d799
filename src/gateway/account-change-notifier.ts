import type { Versions } from '../kernel/ports/shared-state.ts';
import { systemClock } from '../lib/clock.ts';
import { AccountChangeInbox } from './account-change-inbox.ts';
import type { Settings } from './settings.ts';

/** Notifies a running gateway, from another process, that an account has changed. */
export interface AccountChangeNotifier extends Pick<Versions, 'renew'> {
  close(): Promise<void>;
}

/** Calls `onUnread` if no gateway is running. */
export async function openAccountChangeNotifier(
  settings: Settings,
  onUnread: () => void = () => undefined,
): Promise<AccountChangeNotifier> {
  const { stores, dataDir } = settings;
  if (stores === undefined) {
    const accountChangeInbox = new AccountChangeInbox(dataDir);
    return {
      async renew(accountId) {
        if (!(await accountChangeInbox.notify(accountId))) onUnread();
      },
      close: async () => undefined,
    };
  }
  if (stores.counts === 'database') {
    const { openDatabase } = await import('./parts/stores.ts');
    const { DocumentSlots } = await import('../storage/documents/document-slots.ts');
    const { DocumentChanges } = await import('../storage/documents/document-changes.ts');
    const database = await openDatabase(settings);
    const slots = new DocumentSlots(new DocumentChanges(database.documents, systemClock), systemClock);
    return { renew: (accountId) => slots.renew(accountId), close: () => database.close() };
  }
  const { RedisConnection } = await import('../storage/redis/redis-connection.ts');
  const { RedisVersions } = await import('../storage/redis/redis-versions.ts');
  const link = await RedisConnection.open({ url: stores.redis });
  const versions = new RedisVersions(link);
  return { renew: (accountId) => versions.renew(accountId), close: async () => link.close() };
}
