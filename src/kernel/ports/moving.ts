import type { RowOutcome } from './moving-report.ts';

/** A row of an account in a file that moves between instances. */
export type MovedRow = Readonly<Record<string, string | number | null>>;

/** Whose rows: an account and the scope of its modules. */
export interface MovedOwner {
  readonly accountId: string;
  readonly scope: string;
}

interface MovedContent {
  readonly sealedBy: string;
  readonly sealed: Uint8Array;
}

/** Opens and seals content with the secret of the instance. */
export interface MovedSealing {
  /** Undefined if none of our keys opens it. */
  open(content: MovedContent, context: string): Buffer | undefined;
  seal(content: Uint8Array, context: string): MovedContent;
}

type SealedKind = 'collections' | 'decisions' | 'recordings' | 'providerKeys';
export type MovedSealings = Readonly<Record<SealedKind, MovedSealing>>;

/** Rows of one table, as they are in the file. */
export interface MovedBatch {
  readonly table: string;
  readonly rows: readonly MovedRow[];
}

/** The bounds of what an account stores in a collection. */
export interface MovedCollection {
  readonly module: string;
  readonly collection: string;
  readonly isSealed: boolean;
  readonly lifeSeconds: number | undefined;
  readonly entriesMax: number | undefined;
  readonly bytesMax: number | undefined;
  readonly valueBytesMax: number;
  /** Columns that together differ in all entries. */
  readonly unique: readonly string[];
  /** What is wrong with a value, which is JSON. */
  faultOf(value: unknown): Promise<string | undefined>;
}

/** What an account may store: prompts, versions of all of them, characters of their contents, and labels of one prompt. */
interface PromptBounds {
  readonly prompts: number;
  readonly versions: number;
  readonly characters: number;
  readonly labels: number;
}

export interface ImportOptions {
  readonly owner: MovedOwner;
  readonly isLocal: boolean;
  readonly replaces: boolean;
  /** Only compares. */
  readonly isDryRun: boolean;
  readonly nowMs: number;
  now(): number;
  readonly collectionOf: (module: string, collection: string) => MovedCollection | undefined;
  /** Whether a module with this name is loaded. */
  readonly hasModule: (module: string) => boolean;
  /** What is wrong with each configuration. */
  readonly faultsOfConfigurations: (rows: readonly MovedRow[]) => Promise<ReadonlyMap<MovedRow, string>>;
  /** What is wrong with the stored pipeline of a local gateway. */
  readonly faultOfPipeline: (list: string) => string | undefined;
  /** What is wrong with a version of a prompt, and with the name of a label. */
  readonly faultOfPromptVersion: (name: string, content: unknown) => string | undefined;
  readonly faultOfPromptLabel: (label: string) => string | undefined;
  readonly promptBounds: PromptBounds;
  readonly recordingBytesMax: number;
  readonly keysOfProviderMax: number;
}

/** One import. Nothing of it is visible before `commit`, and all of it afterwards. */
export interface RunningImport {
  /** Resolves to what became of each row. */
  add(batch: MovedBatch): Promise<readonly RowOutcome[]>;
  /** From here on, the import is completed by this process or another. */
  commit(): Promise<void>;
  /** Writes the rest; true if there is more. */
  finishSome(): Promise<boolean>;
  abort(): Promise<void>;
}

export interface MovedRows {
  /** The rows of a table, in the order of their keys. */
  read(table: string, owner: MovedOwner): AsyncIterable<readonly MovedRow[]>;
  /** Undefined if another import of the account is under way. */
  start(options: ImportOptions): Promise<RunningImport | undefined>;
  /** Completes what a stopped process has committed, and forgets what it has not. True if there is more. */
  recoverSome(nowMs: number): Promise<boolean>;
}
