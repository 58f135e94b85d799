import { defineCollection } from '../../kernel/define-collection.ts';
import type {
  Archive,
  ArchivedItem,
  ArchivedItemInfo,
  ArchiveListOptions,
  ArchivePage,
  NewArchivedItem,
} from '../../kernel/ports/archive.ts';
import {
  type Collection,
  type Entries,
  type EntryInfo,
  ValueTooLargeError,
} from '../../kernel/ports/collections.ts';
import type { ModuleStores } from '../../kernel/ports/module-store.ts';
import type { Clock } from '../../lib/clock.ts';
import { limits } from '../limits.ts';
import { searchArchive } from './archive-search.ts';

interface ArchivesParts {
  readonly stores: ModuleStores;
  readonly clock: Clock;
  /** Limit for one account. */
  readonly bytesMax: number;
}

/** The name of the archive among the modules, and of its collection. */
const archiveName = 'archive';

const fields = { conversation: 'text1', person: 'text2' } as const;
export type ArchiveFields = typeof fields;

/** The collection of an archive with a bound for one account. */
export const archiveCollection = (bytesMax: number): Collection<unknown, ArchiveFields> =>
  defineCollection({
    name: archiveName,
    fields,
    sealed: true,
    lifeSeconds: limits.archiveLifeSeconds,
    bytesMax,
    valueBytesMax: Math.min(limits.archivedBytesMax, bytesMax),
  });

export type ArchiveEntries = Entries<unknown, ArchiveFields>;

/** A filter for the items of a tenant; all conditions must match. */
export interface ArchiveFilter {
  readonly ref?: string;
  readonly conversation?: string;
  readonly person?: string;
}

/** What is archived of one conversation. */
interface ArchivedConversation {
  readonly conversation: string;
  readonly items: number;
  /** As stored, compressed. */
  readonly bytes: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
}

interface ArchivedConversations {
  /** The newest first. */
  readonly conversations: readonly ArchivedConversation[];
  /** False if the account has more items than were read. */
  readonly isComplete: boolean;
}

export interface ListedItem extends ArchivedItemInfo {
  readonly bytes: number;
  readonly expiresAtMs: number | undefined;
}

/** The archives of all accounts: what modules removed from conversations, sealed and limited for each account. */
export class Archives {
  readonly #parts: ArchivesParts;
  readonly #collection: Collection<unknown, ArchiveFields>;

  constructor(parts: ArchivesParts) {
    this.#parts = parts;
    this.#collection = archiveCollection(parts.bytesMax);
  }

  /** The archive for a call. `endUser` resolves to the call's own end user. */
  of(scope: string, endUser: () => string | null): Archive {
    const entries = this.#entries(scope);
    const visibleTo = (person: string | null | undefined) => {
      const own = [...new Set([endUser(), null])];
      return person === undefined ? own : own.filter((one) => one === person);
    };
    return {
      put: (items) => this.#put(scope, items),
      find: async (ref) => {
        const found = await this.find(scope, { ref });
        return found !== undefined && visibleTo(undefined).includes(found.person) ? found : undefined;
      },
      list: (options = {}) => listItems(entries, visibleTo(options.person), options),
      search: async (text, { conversation, person, limit } = {}) => {
        const where = { conversation, person: { in: visibleTo(person) } };
        const refs = await searchArchive(entries, text, { where, limit });
        const found = await Promise.all(refs.map((ref) => this.find(scope, { ref })));
        return found.filter((item) => item !== undefined);
      },
    };
  }

  /** With an end user, items of others are not found. */
  async find(
    scope: string,
    { ref, conversation, person }: ArchiveFilter & { readonly ref: string },
  ): Promise<ArchivedItem | undefined> {
    const entry = isRef(ref) ? await this.#entries(scope).get(ref) : undefined;
    if (entry === undefined) return undefined;
    const item = { ...itemOf(entry), content: entry.value };
    if (person !== undefined && item.person !== person) return undefined;
    return conversation === undefined || item.conversation === conversation ? item : undefined;
  }

  /** The conversations of a tenant, by the newest items. */
  async conversations(scope: string): Promise<ArchivedConversations> {
    const found = new Map<string, ArchivedConversation>();
    let after: string | undefined;
    for (let read = 0; read < limits.archiveListedMax; read += limits.archiveItemsPageMax) {
      const page = await this.items(scope, { after });
      for (const { conversation, bytes, createdAtMs } of page.items) {
        const known = found.get(conversation);
        found.set(conversation, {
          conversation,
          items: (known?.items ?? 0) + 1,
          bytes: (known?.bytes ?? 0) + bytes,
          firstAtMs: createdAtMs,
          lastAtMs: known?.lastAtMs ?? createdAtMs,
        });
      }
      after = page.next;
      if (after === undefined) break;
    }
    return { conversations: [...found.values()], isComplete: after === undefined };
  }

  /** The items of a tenant or of one of its conversations, the newest first. */
  async items(
    scope: string,
    { conversation, after }: Pick<ArchiveListOptions, 'conversation' | 'after'>,
  ): Promise<{ readonly items: readonly ListedItem[]; readonly next: string | undefined }> {
    const { entries, next } = await this.#entries(scope).list({
      where: { conversation },
      orderBy: 'createdAt',
      descending: true,
      after,
      limit: limits.archiveItemsPageMax,
    });
    return {
      items: entries.map((entry) => ({
        ...itemOf(entry),
        bytes: entry.bytes,
        expiresAtMs: entry.expiresAtMs,
      })),
      next,
    };
  }

  /** Resolves to the number of deleted items. */
  async remove(scope: string, { ref, ...where }: ArchiveFilter): Promise<number> {
    if (ref === undefined) return this.#entries(scope).deleteAll(where);
    return isRef(ref) ? this.#entries(scope).deleteAll({ ...where, key: ref }) : 0;
  }

  /** Writes many items together; one by one if some can't be written. */
  async #put(scope: string, items: readonly NewArchivedItem[]): Promise<readonly string[]> {
    const stored: string[] = [];
    for (let at = 0; at < items.length; at += limits.archivedAtOnce) {
      const batch = items.slice(at, at + limits.archivedAtOnce);
      if (await this.#putTogether(scope, batch)) stored.push(...batch.map(({ ref }) => ref));
      else for (const item of batch) if (await this.#putTogether(scope, [item])) stored.push(item.ref);
    }
    return stored;
  }

  /** False if an item is too large, or one of several is archived already. */
  async #putTogether(scope: string, items: readonly NewArchivedItem[]): Promise<boolean> {
    try {
      const isWritten = await this.#parts.stores.store(archiveName, scope).write((batch) => {
        for (const { ref, content, conversation, person, ttlSeconds } of items) {
          if (!isRef(ref)) throw new Error(`"${ref}" is not an archive ref: use letters and digits only`);
          const expiresAtMs = this.#parts.clock.now() + ttlSeconds * 1000;
          const entry = { value: content, fields: { conversation, person }, expiresAtMs };
          batch.put(this.#collection, ref, entry, 0);
        }
      });
      return isWritten || items.length === 1;
    } catch (error) {
      if (!(error instanceof ValueTooLargeError)) throw error;
      return false;
    }
  }

  #entries(scope: string): ArchiveEntries {
    return this.#parts.stores.store(archiveName, scope).collection(this.#collection);
  }
}

async function listItems(
  entries: ArchiveEntries,
  persons: readonly (string | null)[],
  { conversation, after, limit = limits.archivePageMax }: ArchiveListOptions,
): Promise<ArchivePage> {
  const where = { conversation, person: { in: persons } };
  const page = await entries.list({ where, orderBy: 'createdAt', descending: true, after, limit });
  return { items: page.entries.map(itemOf), next: page.next };
}

function itemOf({
  key,
  fields,
  createdAtMs,
}: Pick<EntryInfo<ArchiveFields>, 'key' | 'fields' | 'createdAtMs'>): ArchivedItemInfo {
  return { ref: key, conversation: fields.conversation ?? '', person: fields.person, createdAtMs };
}

function isRef(ref: string): boolean {
  return ref.length <= limits.archiveRefCharactersMax && /^[A-Za-z0-9]+$/.test(ref);
}
