import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '../kernel/errors.ts';
import type { ImportOptions, MovedRow, MovedRows, RunningImport } from '../kernel/ports/moving.ts';
import { isJsonObject } from '../lib/json.ts';
import type { Manifest } from './file-lines.ts';
import { limits } from './limits.ts';
import { decrypt } from './passphrase.ts';
import { type FileBatch, readFile } from './read-file.ts';
import { refusal } from './refusal.ts';
import { SectionCounts, type SectionReport } from './report.ts';
import { isSectionName, type SectionName } from './sections.ts';

export interface ImportQuestion {
  readonly options: ImportOptions;
  /** The sections to read; all of the file if undefined. */
  readonly sections: readonly SectionName[] | undefined;
  readonly passphrase: string | undefined;
  readonly rows: Pick<MovedRows, 'start'>;
  /** Called with the number of rows so far. */
  onProgress?(rows: number): void;
  /** Called with the rows of usage and log that are in their tables, at most. */
  onFinish?(rows: number): void;
  /** Called when the account has the rows. */
  onCommit(): Promise<void>;
  /** Ends the wait for the log: another task completes it. Waits as long as it takes if undefined. */
  readonly finishMs?: number | undefined;
}

export interface ImportReport {
  readonly dry_run: boolean;
  /** False while calls of the log are still being written. */
  readonly complete: boolean;
  readonly file: Pick<Manifest, 'product' | 'mode' | 'account' | 'created_at'>;
  readonly sections: readonly SectionReport[];
}

/** Imports a file as a whole or not at all: its rows are set aside until its last line has been read. */
export async function importAccount(
  chunks: AsyncIterable<Uint8Array>,
  question: ImportQuestion,
): Promise<ImportReport> {
  const { options, rows } = question;
  const running = await rows.start(options);
  if (running === undefined)
    throw new GatewayError('import_running', 'another import of this account is under way');
  const reading = new FileImporter(running, question);
  try {
    await readFile(chunks, reading);
    if (!options.isDryRun) await running.commit();
  } catch (error) {
    await running.abort();
    throw error;
  }
  const complete = options.isDryRun || (await finish(running, question));
  return { dry_run: options.isDryRun, complete, ...reading.report };
}

async function finish(
  running: RunningImport,
  { onCommit, finishMs, onFinish }: ImportQuestion,
): Promise<boolean> {
  const until = performance.now() + (finishMs ?? Number.POSITIVE_INFINITY);
  await onCommit();
  for (let written = limits.rowsFinishedAtOnce; ; written += limits.rowsFinishedAtOnce) {
    const startedAtMs = performance.now();
    if (!(await running.finishSome())) break;
    onFinish?.(written);
    if (performance.now() > until) return false;
    await letOthersWrite(startedAtMs);
  }
  await onCommit();
  return true;
}

/** Rests for as long as the last batch took: SQLite has no queue for its write lock, and other processes would starve. */
async function letOthersWrite(sinceMs: number): Promise<void> {
  await sleep(Math.min(performance.now() - sinceMs, limits.pauseMsMax));
}

class FileImporter {
  readonly #running: RunningImport;
  readonly #question: ImportQuestion;
  readonly #counts = new Map<SectionName, SectionCounts>();
  #manifest: Manifest | undefined;
  #rows = 0;

  constructor(running: RunningImport, question: ImportQuestion) {
    this.#running = running;
    this.#question = question;
  }

  onManifest(manifest: Manifest): void {
    this.#manifest = manifest;
    for (const name of manifest.sections)
      if (isSectionName(name) && this.#isWanted(name)) this.#counts.set(name, new SectionCounts(name));
  }

  async onRows({ section, table, rows }: FileBatch): Promise<void> {
    const startedAtMs = performance.now();
    this.#rows += rows.length;
    const counts = this.#counts.get(section);
    if (counts !== undefined)
      if (section === 'provider_keys') await this.#addSecrets(rows, counts);
      else for (const standing of await this.#running.add({ table, rows })) counts.add(standing);
    this.#question.onProgress?.(this.#rows);
    await letOthersWrite(startedAtMs);
  }

  async #addSecrets(rows: readonly MovedRow[], counts: SectionCounts): Promise<void> {
    const { passphrase } = this.#question;
    const [only] = rows;
    if (only === undefined || rows.length !== 1 || typeof only.age !== 'string')
      throw refusal('its provider keys are not where they should be');
    if (passphrase === undefined) {
      counts.add({ what: 'left', reason: 'provider keys need the passphrase of the export' });
      return;
    }
    const keys = parseKeys(await decrypt(only.age, passphrase));
    for (const standing of await this.#running.add({ table: 'provider_keys', rows: keys }))
      counts.add(standing);
  }

  #isWanted(name: SectionName): boolean {
    return this.#question.sections?.includes(name) ?? true;
  }

  get report(): Pick<ImportReport, 'file' | 'sections'> {
    const { product = '', mode = 'local', account = '', created_at = '' } = this.#manifest ?? {};
    return {
      file: { product, mode, account, created_at },
      sections: [...this.#counts.values()].map(({ report }) => report),
    };
  }
}

function parseKeys(json: string): readonly MovedRow[] {
  const fault = refusal('its provider keys can’t be read');
  try {
    const keys: unknown = JSON.parse(json);
    if (!Array.isArray(keys) || keys.length > limits.providerKeysMax || !keys.every(isRow)) throw fault;
    return keys;
  } catch {
    throw fault;
  }
}

function isRow(value: unknown): value is MovedRow {
  return (
    isJsonObject(value) &&
    Object.values(value).every(
      (field) =>
        field === null || typeof field === 'number' || (typeof field === 'string' && !field.includes('\0')),
    )
  );
}
