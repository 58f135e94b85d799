import { defineCollection, type Entries, type ModuleStore } from '../../module-api.ts';
import type { Ledger } from './ledger.ts';
import {
  comparedLedgersMax,
  ledgerLifeSeconds,
  ledgersBytesMax,
  sharedLinesMin,
  unrecognizedMessagesMin,
} from './limits.ts';

/** A ledger with what links the next context to it. */
export interface StoredLedger extends Ledger {
  /** The name of the conversation that was summarized. */
  readonly conversation: string;
  /** The refs of its messages in the archive. */
  readonly refs: readonly string[];
}

/** How a ledger is found. */
interface LedgerLinks {
  /** The pseudonym of the end user; empty if none is named. */
  readonly person: string;
  /** The name of the conversation that was summarized. */
  readonly conversation: string;
  /** The hashes of lines of the summary, or nothing if it is encrypted. */
  readonly fingerprint: readonly string[];
  /** Whether the module recognized the request for the summary. */
  readonly isRecognized: boolean;
  /** The number of messages before the summary. */
  readonly messages: number;
}

/** The start of a context, which may have a summary in it. */
export interface ContextStart {
  readonly person: string;
  readonly conversation: string;
  readonly lines: ReadonlySet<string>;
  /** Whether a summary is in it that can't be read. */
  readonly hasEncryptedSummary: boolean;
}

export interface FoundLedger {
  readonly key: string;
  readonly ledger: StoredLedger;
  readonly fingerprint: readonly string[];
}

const fields = {
  person: 'text1',
  conversation: 'text2',
  fingerprint: 'text3',
  isRecognized: 'integer1',
  messages: 'integer2',
} as const;

const ledgers = defineCollection<StoredLedger, typeof fields>({
  name: 'ledgers',
  fields,
  sealed: true,
  lifeSeconds: ledgerLifeSeconds,
  bytesMax: ledgersBytesMax,
});

type LedgerEntries = Entries<StoredLedger, typeof fields>;
type LedgerInfo = Awaited<ReturnType<LedgerEntries['list']>>['entries'][number];

/** The ledgers of an account. */
export class LedgerStore {
  readonly #entries: LedgerEntries;

  constructor(store: ModuleStore) {
    this.#entries = store.collection(ledgers);
  }

  async get(key: string): Promise<FoundLedger | undefined> {
    const entry = await this.#entries.get(key);
    return entry === undefined ? undefined : { key, ledger: entry.value, fingerprint: fingerprintIn(entry) };
  }

  async put(key: string, value: StoredLedger, links: LedgerLinks): Promise<void> {
    const { person, conversation, fingerprint, isRecognized, messages } = links;
    await this.#entries.put(key, {
      value,
      fields: {
        ...{ person, conversation, messages },
        fingerprint: fingerprint.join(' '),
        isRecognized: isRecognized ? 1 : 0,
      },
    });
  }

  /** The ledger whose summary is at the start of a context. */
  async find(start: ContextStart): Promise<FoundLedger | undefined> {
    const { person, conversation } = start;
    const newest = { orderBy: 'createdAt', descending: true, limit: comparedLedgersMax } as const;
    const [recognized, unrecognized] = await Promise.all([
      this.#entries.list({ where: { person, isRecognized: 1 }, ...newest }),
      this.#entries.list({
        where: { person, isRecognized: 0, messages: { gt: unrecognizedMessagesMin } },
        ...newest,
      }),
    ]);
    const candidates = [...recognized.entries, ...unrecognized.entries];
    const best =
      mostShared(candidates, start.lines) ??
      (start.hasEncryptedSummary
        ? recognized.entries.find(
            ({ fields: own }) => own.conversation === conversation && own.fingerprint === '',
          )
        : undefined);
    return best === undefined ? undefined : this.get(best.key);
  }
}

/** The ledger whose summary has the most lines in common with a context, the newest of several; undefined if none has enough. */
function mostShared(candidates: readonly LedgerInfo[], lines: ReadonlySet<string>): LedgerInfo | undefined {
  let [best, bestCount]: [LedgerInfo | undefined, number] = [undefined, 0];
  for (const candidate of candidates) {
    const fingerprint = fingerprintIn(candidate);
    const count = fingerprint.filter((line) => lines.has(line)).length;
    if (count > bestCount && count >= Math.min(sharedLinesMin, fingerprint.length))
      [best, bestCount] = [candidate, count];
  }
  return best;
}

function fingerprintIn({ fields: { fingerprint } }: Pick<LedgerInfo, 'fields'>): readonly string[] {
  return fingerprint === null || fingerprint === '' ? [] : fingerprint.split(' ');
}
