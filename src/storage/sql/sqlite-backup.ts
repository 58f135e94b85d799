import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { limits } from '../../kernel/limits.ts';
import { migrations } from './migrations/index.ts';

/** What a copy says of itself. */
export interface BackupMetadata {
  readonly madeAtMs: number;
  readonly weirVersion: string;
  /** Of the secret that its sealed parts open with; knowing it tells nothing about the secret. */
  readonly secretFingerprint: string;
}

/** In one go: each step would begin anew where somebody has written since the last. */
const allPages = 0x7fffffff;

/** Makes a whole and checked copy, with a note in it, while others read and write. */
export async function backupSqlite(from: string, to: string, note: BackupMetadata): Promise<void> {
  const unfinished = `${to}.part`;
  const source = new DatabaseSync(from, { timeout: limits.databaseStatementMs });
  try {
    removeDatabaseFiles(unfinished);
    closeSync(openSync(unfinished, 'w', 0o600));
    await backup(source, unfinished, { rate: allPages });
    await withDatabase(unfinished, (copy) => {
      // One file, and nothing beside it.
      copy.exec('pragma journal_mode = delete');
      copy.exec('drop table if exists weir_copy');
      copy.exec('create table weir_copy (made_at_ms integer, weir_version text, secret_mark text) strict');
      const insert = copy.prepare('insert into weir_copy values (?, ?, ?)');
      insert.run(note.madeAtMs, note.weirVersion, note.secretFingerprint);
      assertIntact(copy, to);
    });
    moveIntoPlace(unfinished, to);
  } finally {
    source.close();
    removeDatabaseFiles(unfinished);
  }
}

/** What a copy says of itself; undefined where another program made it. Throws where it can't be used. */
export async function readBackup(file: string): Promise<BackupMetadata | undefined> {
  return withDatabase(file, (copy) => {
    assertIntact(copy, file);
    const version = querySchemaVersion(copy);
    if (version === undefined) throw new Error(`${file} is not a Weir database`);
    if (version > migrations.length)
      throw new Error(
        `${file} has schema version ${version}, but this version of Weir supports only up to ${migrations.length}: use the newer Weir that created it`,
      );
    if (!hasTable(copy, 'weir_copy')) return undefined;
    const row = copy.prepare('select made_at_ms, weir_version, secret_mark from weir_copy').get();
    return {
      madeAtMs: Number(row?.made_at_ms),
      weirVersion: String(row?.weir_version),
      secretFingerprint: String(row?.secret_mark),
    };
  });
}

/**
 * Puts a copy in the place of a database that nobody has open, and keeps what was there under `before`. Throws where somebody
 * has it open.
 */
export async function restoreSqlite(copy: string, file: string, before: string): Promise<void> {
  const unfinished = `${file}.part`;
  const source = new DatabaseSync(copy, { readOnly: true });
  try {
    removeDatabaseFiles(unfinished);
    closeSync(openSync(unfinished, 'w', 0o600));
    await backup(source, unfinished, { rate: allPages });
    await withDatabase(unfinished, (made) => {
      made.exec('pragma journal_mode = delete');
      made.exec('drop table if exists weir_copy');
      assertIntact(made, copy);
    });
    const unlock = existsSync(file) ? lockExclusively(file) : () => undefined;
    try {
      if (existsSync(file)) {
        removeDatabaseFiles(before);
        for (const end of databaseFileSuffixes)
          if (existsSync(file + end)) renameSync(file + end, before + end);
      }
      moveIntoPlace(unfinished, file);
    } finally {
      unlock();
    }
  } finally {
    source.close();
    removeDatabaseFiles(unfinished);
  }
}

/** The version of the schema in a file; undefined where it has none yet. */
export async function readSchemaVersion(file: string): Promise<number | undefined> {
  return withDatabase(file, querySchemaVersion);
}

/** Whether a gateway has run with it, so that there are things in it which its secret opens. */
export async function hasReceiptKeys(file: string): Promise<boolean> {
  return withDatabase(
    file,
    (database) =>
      hasTable(database, 'receipt_keys') &&
      database.prepare('select 1 from receipt_keys limit 1').get() !== undefined,
  );
}

/** What a question is answered, for a look beside a gateway that may be running. */
export async function querySqlite(file: string, question: string): Promise<readonly unknown[]> {
  return withDatabase(file, (database) => database.prepare(question).all());
}

/** What is wrong with a file, in SQLite's words; undefined where nothing is. */
export async function checkSqlite(file: string): Promise<string | undefined> {
  return withDatabase(file, (database) => {
    const [first] = database.prepare('pragma quick_check(1)').all();
    const said = String(Object.values(first ?? {})[0]);
    return said === 'ok' ? undefined : said;
  });
}

/** Of a database: itself, what isn't checkpointed yet, and its index. */
const databaseFileSuffixes = ['', '-wal', '-shm', '-journal'];

function removeDatabaseFiles(file: string): void {
  for (const end of databaseFileSuffixes) rmSync(file + end, { force: true });
}

function moveIntoPlace(unfinished: string, file: string): void {
  chmodSync(unfinished, 0o600);
  const fd = openSync(unfinished, 'r+');
  fsyncSync(fd);
  closeSync(fd);
  renameSync(unfinished, file);
}

/** Only who is alone with a database may change how it keeps its journal. A damaged one can't be asked: it is nobody's. */
function lockExclusively(file: string): () => void {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('pragma journal_mode = delete; begin exclusive');
  } catch (cause) {
    database.close();
    if (isLocked(cause))
      throw new Error(`${file} is open in another program: stop the gateway first`, { cause });
  }
  return () => {
    if (database.isOpen) database.close();
  };
}

function isLocked(thrown: unknown): boolean {
  const busy = 5;
  return thrown instanceof Error && 'errcode' in thrown && Number(thrown.errcode) % 256 === busy;
}

function assertIntact(database: DatabaseSync, file: string): void {
  const [first] = database.prepare('pragma integrity_check(1)').all();
  const said = String(Object.values(first ?? {})[0]);
  if (said !== 'ok') throw new Error(`${file} is damaged: ${said}`);
}

function querySchemaVersion(database: DatabaseSync): number | undefined {
  if (!hasTable(database, 'schema_migrations')) return undefined;
  return Number(database.prepare('select max(version) as version from schema_migrations').get()?.version);
}

function hasTable(database: DatabaseSync, name: string): boolean {
  const found = database.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(name);
  return found !== undefined;
}

async function withDatabase<Result>(file: string, work: (database: DatabaseSync) => Result): Promise<Result> {
  if (!existsSync(file)) throw new Error(`${file} does not exist`);
  const database = new DatabaseSync(file, { timeout: limits.databaseStatementMs });
  try {
    return work(database);
  } catch (cause) {
    if (cause instanceof Error && /not a database/.test(cause.message))
      throw new Error(`${file} is not a database`, { cause });
    throw cause;
  } finally {
    database.close();
  }
}
