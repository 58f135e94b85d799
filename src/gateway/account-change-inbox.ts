import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../kernel/limits.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';

/**
 * Where the command line leaves word of accounts that it changed in the database of a gateway that runs: what that one
 * remembers of them is in its own memory. A file for each account; it is gone when the gateway looks at the account anew.
 */
export class AccountChangeInbox {
  readonly #folder: string;
  #timer: NodeJS.Timeout | undefined;
  #processing: Promise<void> | undefined;

  constructor(dataDir: string) {
    this.#folder = join(dataDir, 'changed-accounts');
  }

  /** False where nobody has read it in time: no gateway is running. */
  async notify(accountId: string): Promise<boolean> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = join(this.#folder, accountId);
    await writeFile(file, '');
    const untilMs = performance.now() + limits.mailboxWaitMs;
    while (performance.now() < untilMs) {
      if (!this.#pendingAccounts().includes(accountId)) return true;
      await sleep(limits.mailboxMs / 4);
    }
    await rm(file, { force: true });
    return false;
  }

  watch(versions: Pick<Versions, 'renew'>, onError: (cause: unknown) => void): void {
    const look = () => {
      this.#processing ??= this.#processPending(versions)
        .catch(onError)
        .finally(() => {
          this.#processing = undefined;
        });
    };
    this.#timer = setInterval(look, limits.mailboxMs).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#processing;
  }

  async #processPending(versions: Pick<Versions, 'renew'>): Promise<void> {
    for (const accountId of this.#pendingAccounts()) {
      await versions.renew(accountId);
      await rm(join(this.#folder, accountId), { force: true });
    }
  }

  /** Some microseconds; asking the threads that wait for disks would keep them all in memory. */
  #pendingAccounts(): readonly string[] {
    return existsSync(this.#folder) ? readdirSync(this.#folder) : [];
  }
}
