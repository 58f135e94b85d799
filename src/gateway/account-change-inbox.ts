import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Versions } from '../kernel/ports/shared-state.ts';
import { PeriodicTask } from '../lib/periodic-task.ts';
import { limits } from './limits.ts';

/**
 * A folder in which the command line notifies a running gateway of changed accounts, so that it drops its cached state.
 * One file per account; the gateway deletes it once it has reloaded the account.
 */
export class AccountChangeInbox {
  readonly #folder: string;
  #processing: PeriodicTask | undefined;

  constructor(dataDir: string) {
    this.#folder = join(dataDir, 'changed-accounts');
  }

  /** False if no gateway has read it in time. */
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
    this.#processing = new PeriodicTask({
      intervalMs: limits.mailboxMs,
      run: () => this.#processPending(versions),
      onError,
    });
    this.#processing.start();
  }

  async close(): Promise<void> {
    await this.#processing?.stop();
  }

  async #processPending(versions: Pick<Versions, 'renew'>): Promise<void> {
    for (const accountId of this.#pendingAccounts()) {
      await versions.renew(accountId);
      await rm(join(this.#folder, accountId), { force: true });
    }
  }

  /** Synchronous, since it takes microseconds; async I/O would keep the whole thread pool alive. */
  #pendingAccounts(): readonly string[] {
    return existsSync(this.#folder) ? readdirSync(this.#folder) : [];
  }
}
