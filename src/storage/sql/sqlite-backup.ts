import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { limits } from '../limits.ts';
import { migrations } from './migrations/index.ts';

/** Metadata stored in a backup. */
export interface BackupMetadata {
  readonly madeAtMs: number;
  readonly weirVersion: string;
  /** Fingerprint of the secret that opens its sealed parts; does not reveal the secret. */
  readonly secretFingerprint: string;
}

/** Copies all pages in one step: after a concurrent write, the next step would start over. */
const allPages = 0x7fffffff;

/** Creates a complete, verified backup with its metadata, while the database is in use. */
export async function backupSqlite(from: string, to: string, note: BackupMetadata): Promise<void> {
  const unfinished = `${to}.part`;
  const source = new DatabaseSync(from, { timeout: limits.databaseStatementMs });
  try {
    removeDatabaseFiles(unfinished);
    closeSync(openSync(unfinished, 'w', 0o600));
    await backup(source, unfinished, { rate: allPages });
    await withDatabase(unfinished, (copy) => {
      // A single file, without a WAL.
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

/** Reads the metadata of a backup; undefined if another program made it. Throws if it can't be used. */
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

interface RestoreOptions {
  readonly copy: string;
  readonly file: string;
  /** Where the old database goes. */
  readonly before: string;
  /** Changes the new database before it replaces the old one. */
  prepare?(unfinished: string): Promise<void>;
}

/** Replaces a database with a backup. Throws if a program has the database open. */
export async function restoreSqlite({ copy, file, before, prepare }: RestoreOptions): Promise<void> {
  const unfinished = `${file}.part`;
  const source = new DatabaseSync(copy, { readOnly: true });
  try {
    removeDatabaseFiles(unfinished);
    closeSync(openSync(unfinished, 'w', 0o600));
    await backup(source, unfinished, { rate: allPages });
    await prepare?.(unfinished);
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

/** The schema version of a file; undefined if it has no schema yet. */
export async function readSchemaVersion(file: string): Promise<number | undefined> {
  return withDatabase(file, querySchemaVersion);
}

/** Whether a gateway has used the file, so that it contains data sealed with its secret. */
export async function hasReceiptKeys(file: string): Promise<boolean> {
  return withDatabase(
    file,
    (database) =>
      hasTable(database, 'receipt_keys') &&
      database.prepare('select 1 from receipt_keys limit 1').get() !== undefined,
  );
}

/** Runs one query, possibly beside a running gateway. */
export async function querySqlite(file: string, query: string): Promise<readonly unknown[]> {
  return withDatabase(file, (database) => database.prepare(query).all());
}

/** SQLite's description of a damage; undefined if the file is intact. */
export async function checkSqlite(file: string): Promise<string | undefined> {
  return withDatabase(file, (database) => {
    const [first] = database.prepare('pragma quick_check(1)').all();
    const result = String(Object.values(first ?? {})[0]);
    return result === 'ok' ? undefined : result;
  });
}

/** The files of a database: itself, its WAL with index, and its rollback journal. */
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

/** Changing the journal mode requires exclusive access. Errors of a damaged file are ignored: no program can use it. */
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

export function isLocked(thrown: unknown): boolean {
  const busy = 5;
  return thrown instanceof Error && 'errcode' in thrown && Number(thrown.errcode) % 256 === busy;
}

function assertIntact(database: DatabaseSync, file: string): void {
  const [first] = database.prepare('pragma integrity_check(1)').all();
  const result = String(Object.values(first ?? {})[0]);
  if (result !== 'ok') throw new Error(`${file} is damaged: ${result}`);
}

function querySchemaVersion(database: DatabaseSync): number | undefined {
  if (!hasTable(database, 'schema_migrations')) return undefined;
  return Number(database.prepare('select max(version) as version from schema_migrations').get()?.version);
}

function hasTable(database: DatabaseSync, name: string): boolean {
  const row = database.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(name);
  return row !== undefined;
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
