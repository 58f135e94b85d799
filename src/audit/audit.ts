import { isStorageUnavailable } from '../kernel/ports/storage-unavailable.ts';
import type { Clock } from '../lib/clock.ts';
import { RepeatedLines } from '../lib/repeated-lines.ts';
import type { AuditChains } from './chains.ts';
import { prepareEntry } from './entry.ts';
import { auditMessages } from './events.ts';
import type { AuditRecord } from './facts.ts';
import { limits } from './limits.ts';
import type { OpenChanges } from './open-changes.ts';

/** The chain of what operators do, and of what concerns no account. */
export const instanceChain = 'instance';

interface AuditParts {
  readonly log: { audit(facts: object, message: string): void };
  readonly chains: Pick<AuditChains, 'add'>;
  readonly changes: Pick<OpenChanges, 'announce' | 'end' | 'leave'>;
  readonly clock: Clock;
  /** The accounts of a person. */
  accountsOf(user: string): Promise<readonly string[]>;
  readonly intervalMs?: number;
}

/** A change that the database knows of, so that it has an entry even if the process is killed. */
export interface OpenChange {
  /** Resolves when the entry is stored, as `Audit.record` does. */
  complete(record: AuditRecord): Promise<void>;
  /** Nothing was changed. */
  withdraw(): void;
}

/** Writes every change of accounts, credentials and settings, and refused attempts, to the log and to the chains that it concerns. */
export class Audit {
  readonly #parts: AuditParts;
  readonly #throttled: RepeatedLines;

  constructor(parts: AuditParts) {
    this.#parts = parts;
    this.#throttled = new RepeatedLines(parts.intervalMs ?? limits.refusedIntervalMs, limits.refusedAttempts);
  }

  /** To be called before a change. Rejects if the database is away: then nothing may be changed. */
  async begin(record: AuditRecord): Promise<OpenChange> {
    const { changes } = this.#parts;
    const entry = await changes.announce(record);
    return {
      complete: (done) => this.#write({ ...done, entry }),
      withdraw: () => changes.end(entry),
    };
  }

  /** Makes a change that has an entry even if the process is killed; `change` resolves to false if nothing was changed. */
  async change(record: AuditRecord, change: () => Promise<boolean>): Promise<boolean> {
    const open = await this.begin(record);
    let isChanged = false;
    try {
      isChanged = await change();
    } catch (error) {
      if (isStorageUnavailable(error)) await open.complete({ ...record, outcome: 'unknown' });
      else open.withdraw();
      throw error;
    }
    if (isChanged) await open.complete(record);
    else open.withdraw();
    return isChanged;
  }

  /** Adds an entry with an id, unless one with this id is stored. */
  addOnce(record: AuditRecord): Promise<void> {
    return this.#write(record, true);
  }

  /** Resolves when it is stored; never rejects, since what it is about has happened. */
  async record(record: AuditRecord): Promise<void> {
    // Rejecting an attempt costs an attacker nothing, so that the number of lines must be bounded.
    const { event, reason, account, actor, attempt } = record;
    if (reason !== 'too_many_attempts' && event !== 'access.refused') {
      await this.#write(record);
      return;
    }
    const common = { event, reason, account, actor, ...(attempt !== undefined && { attempt }) };
    const written: Promise<void>[] = [];
    this.#throttled.write(Object.values(common).join(' '), {
      first: () => void written.push(this.#write(record)),
      others: (more) => void this.#write({ ...common, more }),
    });
    await Promise.all(written);
  }

  /** Writes what was only counted. */
  flush(): void {
    this.#throttled.flush();
  }

  async #write(record: AuditRecord, isDoubtful = false): Promise<void> {
    const { log, chains, changes, clock } = this.#parts;
    // Values are in the chain only, where they can be erased.
    const { event, entry, client: _, before: _before, after: _after, ...facts } = record;
    log.audit({ event, ...facts }, auditMessages[event]);
    const atMs = clock.now();
    const names = await this.#chainsOf(record);
    let left = names.length;
    const onDone =
      entry === undefined
        ? undefined
        : (isStored: boolean) => {
            if (!isStored) changes.leave(entry);
            else if (--left === 0) changes.end(entry);
          };
    await Promise.all(
      names.map((chain) => chains.add(chain, prepareEntry(record, chain, atMs), { isDoubtful, onDone })),
    );
  }

  /** An account sees what operators did to it. The end of an account is not in its own chain, which goes with it. */
  async #chainsOf({ event, account, actor = '', user }: AuditRecord): Promise<readonly string[]> {
    if (account === undefined) {
      const accounts = user === undefined ? [] : await this.#parts.accountsOf(user).catch(() => []);
      return accounts.length === 0 ? [instanceChain] : accounts;
    }
    if (event === 'account.deleted') return [instanceChain];
    return isOfInstance(actor) ? [account, instanceChain] : [account];
  }
}

function isOfInstance(actor: string): boolean {
  return /^(operator|stripe)\b/.test(actor);
}
