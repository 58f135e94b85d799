/** The place of an entry in its chain: the newest one, or the last before a range. */
export interface ChainPoint {
  /** From 1; 0 is the place before the first entry. */
  readonly number: number;
  /** The SHA-256 of the entry's text, in hexadecimal. */
  readonly hash: string;
  readonly atMs: number;
}

/** The place before the first entry of every chain. */
export const chainStart: ChainPoint = { number: 0, hash: '0'.repeat(64), atMs: 0 };

/** A personal value that an entry has a commitment to. */
export interface PersonalValue {
  readonly value: string;
  /** In hexadecimal. */
  readonly salt: string;
}

export type PersonalValues = Readonly<Record<string, PersonalValue>>;

/** Values of an entry that are erased together. */
export interface ValuesOfPerson {
  /** The id of the person; empty if nobody is known. */
  readonly person: string;
  /** By the name of the field. */
  readonly values: PersonalValues;
}

/** An entry of a chain. */
export interface AuditEntry {
  readonly number: number;
  /** Unique within its chain. */
  readonly id: string;
  readonly atMs: number;
  readonly event: string;
  readonly actor: string;
  /** Canonical JSON, with the hash of the entry before it. */
  readonly text: string;
  readonly values: readonly ValuesOfPerson[];
}

/** An entry to be added, with its hash. */
export interface LinkedEntry extends AuditEntry {
  readonly hash: string;
}

/** A signed statement about a place in a chain. */
export interface SignedPoint {
  readonly number: number;
  readonly atMs: number;
  /** A compact JWS. */
  readonly jws: string;
}

export interface AuditQuery {
  readonly chain: string;
  /** Entries with a lower number; undefined from the newest. */
  readonly before?: number | undefined;
  readonly events?: readonly string[] | undefined;
  readonly actor?: string | undefined;
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly toMs?: number | undefined;
  readonly limit: number;
}

export interface NewEntries {
  readonly chain: string;
  /** Those that may have been stored already, by an attempt whose success is unknown. */
  readonly doubtful: ReadonlySet<string>;
  /** The ids and, once the newest entry is known, the entries. */
  readonly ids: readonly string[];
  link(id: string, end: ChainPoint): LinkedEntry;
}

/** The chains of accounts and of the instance. */
export interface AuditTable {
  /** Adds entries at the end; concurrent additions to a chain follow one another. */
  append(entries: NewEntries): Promise<void>;
  /** The newest first. */
  page(query: AuditQuery): Promise<readonly AuditEntry[]>;
  /** The entries after a number, the oldest first. */
  following(chain: string, after: number, limit: number): Promise<readonly AuditEntry[]>;
  /** The newest entry; undefined if the chain has had none. */
  end(chain: string): Promise<ChainPoint | undefined>;
  /** The names of chains after this one, in their order. */
  chains(after: string, limit: number): Promise<readonly string[]>;
  /** Signed statements about a chain, the oldest first. */
  signedPoints(chain: string): Promise<readonly SignedPoint[]>;
  /** Chains with entries after their newest signed statement. */
  unsignedChains(limit: number): Promise<readonly string[]>;
  addSignedPoint(chain: string, point: SignedPoint): Promise<void>;
  /** The last of the oldest entries that are from before this time; undefined if there is none. */
  lastBefore(chain: string, beforeMs: number): Promise<AuditEntry | undefined>;
  /** Chains without a legal hold and with entries from before this time, after this one in their order. */
  chainsBefore(beforeMs: number, after: string, limit: number): Promise<readonly string[]>;
  /** Deletes the entries up to a number and all statements about them, and stores the one that stands for them; false under a legal hold. */
  removeThrough(chain: string, removal: SignedPoint): Promise<boolean>;
  /** Deletes the chain of an account. */
  forget(chain: string): Promise<void>;
  /** Deletes the personal values of a person in all chains, but those under a legal hold. */
  forgetPerson(person: string): Promise<void>;
}
