import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { Sealer } from '../accounts/sealer.ts';
import type {
  Archive,
  ArchivedItem,
  ArchiveFilter,
  ArchiveRow,
  Archives,
  ArchiveTable,
  NewArchivedItem,
} from '../kernel/ports/archive.ts';
import type { Clock } from '../lib/clock.ts';
import { limits } from './limits.ts';

const pack = promisify(deflateRaw);
const unpack = promisify(inflateRaw);

interface ArchivesParts {
  readonly table: ArchiveTable;
  readonly clock: Clock;
  /** Encrypts the entries, which quote conversations. */
  readonly sealing: Sealer;
  /** Limit for one account. */
  readonly bytesMax: number;
  onError?(failure: unknown): void;
}

/** What modules removed from conversations: compressed, sealed and limited for each account. */
export class SealedArchives implements Archives {
  readonly #parts: ArchivesParts;
  #tidiedAtMs = 0;

  constructor(parts: ArchivesParts) {
    this.#parts = parts;
  }

  of(scope: string): Archive {
    return { put: (entries) => this.#put(scope, entries) };
  }

  async #put(scope: string, entries: readonly NewArchivedItem[]): Promise<readonly string[]> {
    const { table, clock, bytesMax } = this.#parts;
    const rows: ArchiveRow[] = [];
    for (const entry of entries) {
      const row = await this.#sealEntry(scope, entry);
      if (row.sealed.byteLength <= Math.min(limits.archivedBytesMax, bytesMax)) rows.push(row);
    }
    if (rows.length > 0) await table.add(scope, rows, bytesMax);
    this.#maybeTidy(clock.now());
    return rows.map(({ ref }) => ref);
  }

  async #sealEntry(scope: string, { content, ttlSeconds, ...entry }: NewArchivedItem): Promise<ArchiveRow> {
    const { ref } = entry;
    if (!isRef(ref)) throw new Error(`"${ref}" is not an archive ref: use letters and digits only`);
    const packed = await pack(Buffer.from(JSON.stringify(content)));
    const createdAtMs = this.#parts.clock.now();
    const expiresAtMs = createdAtMs + ttlSeconds * 1000;
    return { ...entry, createdAtMs, expiresAtMs, ...this.#parts.sealing.seal(packed, contextOf(scope, ref)) };
  }

  async find(
    scope: string,
    { ref, conversation: inConversation, person }: ArchiveFilter & { readonly ref: string },
  ): Promise<ArchivedItem | undefined> {
    if (!isRef(ref)) return undefined;
    const { table, clock, sealing: sealer } = this.#parts;
    const row = await table.find(scope, ref, clock.now());
    if (person !== undefined && row?.person !== person) return undefined;
    if (inConversation !== undefined && row?.conversation !== inConversation) return undefined;
    const packed = row === undefined ? undefined : sealer.openBytes(row, contextOf(scope, ref));
    if (row === undefined || packed === undefined) return undefined;
    const content: unknown = JSON.parse((await unpack(packed)).toString('utf8'));
    const { conversation, createdAtMs } = row;
    return { ref, conversation, createdAtMs, content };
  }

  async remove(scope: string, which: ArchiveFilter): Promise<number> {
    return which.ref !== undefined && !isRef(which.ref) ? 0 : this.#parts.table.remove(scope, which);
  }

  forget(scope: string): Promise<void> {
    return this.#parts.table.forget(scope);
  }

  #maybeTidy(nowMs: number): void {
    if (nowMs - this.#tidiedAtMs < limits.archiveTidyMs) return;
    this.#tidiedAtMs = nowMs;
    void this.#tidy(nowMs).catch((failure) => this.#parts.onError?.(failure));
  }

  async #tidy(nowMs: number): Promise<void> {
    for (let rounds = 0; rounds < tidyRoundsMax; rounds++) if (!(await this.#parts.table.tidy(nowMs))) return;
  }
}

const tidyRoundsMax = 100;

function isRef(ref: string): boolean {
  return ref.length <= limits.archiveRefCharactersMax && /^[A-Za-z0-9]+$/.test(ref);
}

function contextOf(scope: string, ref: string): string {
  return `archive\n${scope}\n${ref}`;
}
