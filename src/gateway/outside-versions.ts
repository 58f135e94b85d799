import type { Versions } from '../kernel/ports/shared-state.ts';
import { Mailbox } from './mailbox.ts';
import type { Settings } from './settings.ts';

/** How a process beside the gateway tells it that an account has changed. */
export interface OutsideVersions extends Pick<Versions, 'renew'> {
  close(): Promise<void>;
}

/** `onUnread` hears where no gateway is running that could be told. */
export async function outsideVersions(
  { stores, dataDir }: Settings,
  onUnread: () => void = () => undefined,
): Promise<OutsideVersions> {
  if (stores === undefined) {
    const mailbox = new Mailbox(dataDir);
    return {
      async renew(accountId) {
        if (!(await mailbox.send(accountId))) onUnread();
      },
      close: async () => undefined,
    };
  }
  const { RedisLink } = await import('../storage/redis/redis-link.ts');
  const { RedisVersions } = await import('../storage/redis/redis-versions.ts');
  const link = await RedisLink.open({ url: stores.redis });
  const versions = new RedisVersions(link);
  return { renew: (accountId) => versions.renew(accountId), close: async () => link.close() };
}
