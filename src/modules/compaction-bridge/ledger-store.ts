import { defineCollection, type Entries, type ModuleStore } from '../../module-api.ts';
import { type Ledger, mergeLedgers } from './ledger.ts';
import {
  comparedLedgersMax,
  ledgerLifeSeconds,
  ledgersBytesMax,
  linkedLedgersMax,
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

export interface LedgerEntry {
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

export const ledgers = defineCollection<StoredLedger, typeof fields>({
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

  /** The ledgers under these keys as one; `key` is a list. */
  async get(key: string): Promise<LedgerEntry | undefined> {
    const entries = await Promise.all(key.split(' ').map((one) => this.#entries.get(one)));
    const found = entries
      .filter((entry) => entry !== undefined)
      .map((entry) => ({
        ...{ key, ledger: entry.value, fingerprint: fingerprintIn(entry) },
      }));
    const [newest, ...others] = found;
    return newest === undefined ? undefined : others.reduce(mergeFound, newest);
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

  /** The ledgers whose summaries are at the start of a context: a client may have several parts of a conversation summarized. */
  async find(start: ContextStart): Promise<LedgerEntry | undefined> {
    const { person, conversation } = start;
    const newest = { orderBy: 'createdAt', descending: true, limit: comparedLedgersMax } as const;
    const [recognized, unrecognized] = await Promise.all([
      this.#entries.list({ where: { person, isRecognized: 1 }, ...newest }),
      this.#entries.list({
        where: { person, isRecognized: 0, messages: { gt: unrecognizedMessagesMin } },
        ...newest,
      }),
    ]);
    const shared = [...recognized.entries, ...unrecognized.entries].filter((entry) =>
      sharesEnough(fingerprintIn(entry), start.lines),
    );
    const encrypted = start.hasEncryptedSummary
      ? recognized.entries.filter(
          ({ fields: own }) => own.conversation === conversation && own.fingerprint === '',
        )
      : [];
    const linked = shared.length > 0 ? shared.slice(0, linkedLedgersMax) : encrypted.slice(0, 1);
    return linked.length === 0 ? undefined : this.get(linked.map(({ key }) => key).join(' '));
  }
}

/** Whether the lines of a context contain a summary. */
export function sharesEnough(fingerprint: readonly string[], lines: ReadonlySet<string>): boolean {
  const shared = fingerprint.filter((line) => lines.has(line)).length;
  return shared > 0 && shared >= Math.min(sharedLinesMin, fingerprint.length);
}

/** Ledgers of the same conversation; the older one is merged into the newer. */
function mergeFound(newer: LedgerEntry, older: LedgerEntry): LedgerEntry {
  const { conversation, refs } = newer.ledger;
  return {
    key: newer.key,
    ledger: {
      ...mergeLedgers(older.ledger, newer.ledger),
      ...{ conversation, refs: [...older.ledger.refs, ...refs] },
    },
    fingerprint: [...newer.fingerprint, ...older.fingerprint],
  };
}

function fingerprintIn({ fields: { fingerprint } }: Pick<LedgerInfo, 'fields'>): readonly string[] {
  return fingerprint === null || fingerprint === '' ? [] : fingerprint.split(' ');
}
