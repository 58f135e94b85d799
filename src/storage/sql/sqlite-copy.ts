import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { limits } from '../../kernel/limits.ts';
import { migrations } from './migrations/index.ts';

/** What a copy says of itself. */
export interface CopyNote {
  readonly madeAtMs: number;
  readonly weirVersion: string;
  /** Of the secret that its sealed parts open with; knowing it tells nothing about the secret. */
  readonly secretMark: string;
}

/** In one go: each step would begin anew where somebody has written since the last. */
const allPages = 0x7fffffff;

/** Makes a whole and checked copy, with a note in it, while others read and write. */
export async function copySqlite(from: string, to: string, note: CopyNote): Promise<void> {
  const unfinished = `${to}.part`;
  const source = new DatabaseSync(from, { timeout: limits.databaseStatementMs });
  try {
    removeAll(unfinished);
    closeSync(openSync(unfinished, 'w', 0o600));
    await backup(source, unfinished, { rate: allPages });
    await withDatabase(unfinished, (copy) => {
      // One file, and nothing beside it.
      copy.exec('pragma journal_mode = delete');
      copy.exec('drop table if exists weir_copy');
      copy.exec('create table weir_copy (made_at_ms integer, weir_version text, secret_mark text) strict');
      const insert = copy.prepare('insert into weir_copy values (?, ?, ?)');
      insert.run(note.madeAtMs, note.weirVersion, note.secretMark);
      assertWhole(copy, to);
    });
    putInPlace(unfinished, to);
  } finally {
    source.close();
    removeAll(unfinished);
  }
}

/** What a copy says of itself; undefined where another program made it. Throws where it can't be used. */
export async function readCopy(file: string): Promise<CopyNote | undefined> {
  return withDatabase(file, (copy) => {
    assertWhole(copy, file);
    const version = schemaVersionIn(copy);
    if (version === undefined) throw new Error(`${file} is no database of Weir`);
    if (version > migrations.length)
      throw new Error(
        `${file} has schema version ${version} and this Weir knows versions up to ${migrations.length}: use the newer Weir that made it`,
      );
    if (!hasTable(copy, 'weir_copy')) return undefined;
    const row = copy.prepare('select made_at_ms, weir_version, secret_mark from weir_copy').get();
    return {
      madeAtMs: Number(row?.made_at_ms),
      weirVersion: String(row?.weir_version),
      secretMark: String(row?.secret_mark),
    };
  });
}

/**
 * Puts a copy in the place of a database that nobody has open, and keeps what was there under `before`. Throws where somebody
 * has it open.
 */
export async function replaceSqlite(copy: string, file: string, before: string): Promise<void> {
  const unfinished = `${file}.part`;
  const source = new DatabaseSync(copy, { readOnly: true });
  try {
    removeAll(unfinished);
    closeSync(openSync(unfinished, 'w', 0o600));
    await backup(source, unfinished, { rate: allPages });
    await withDatabase(unfinished, (made) => {
      made.exec('pragma journal_mode = delete');
      made.exec('drop table if exists weir_copy');
      assertWhole(made, copy);
    });
    const unlock = existsSync(file) ? lockedAlone(file) : () => undefined;
    try {
      if (existsSync(file)) {
        removeAll(before);
        for (const end of furtherFiles) if (existsSync(file + end)) renameSync(file + end, before + end);
      }
      putInPlace(unfinished, file);
    } finally {
      unlock();
    }
  } finally {
    source.close();
    removeAll(unfinished);
  }
}

/** The version of the schema in a file; undefined where it has none yet. */
export async function schemaVersionOf(file: string): Promise<number | undefined> {
  return withDatabase(file, schemaVersionIn);
}

/** Whether a gateway has run with it, so that there are things in it which its secret opens. */
export async function hasServed(file: string): Promise<boolean> {
  return withDatabase(
    file,
    (database) =>
      hasTable(database, 'receipt_keys') &&
      database.prepare('select 1 from receipt_keys limit 1').get() !== undefined,
  );
}

/** What a question is answered, for a look beside a gateway that may be running. */
export async function rowsOfSqlite(file: string, question: string): Promise<readonly unknown[]> {
  return withDatabase(file, (database) => database.prepare(question).all());
}

/** What is wrong with a file, in SQLite's words; undefined where nothing is. */
export async function faultOfSqlite(file: string): Promise<string | undefined> {
  return withDatabase(file, (database) => {
    const [first] = database.prepare('pragma quick_check(1)').all();
    const said = String(Object.values(first ?? {})[0]);
    return said === 'ok' ? undefined : said;
  });
}

/** Of a database: itself, what isn't checkpointed yet, and its index. */
const furtherFiles = ['', '-wal', '-shm', '-journal'];

function removeAll(file: string): void {
  for (const end of furtherFiles) rmSync(file + end, { force: true });
}

function putInPlace(unfinished: string, file: string): void {
  chmodSync(unfinished, 0o600);
  const fd = openSync(unfinished, 'r+');
  fsyncSync(fd);
  closeSync(fd);
  renameSync(unfinished, file);
}

/** Only who is alone with a database may change how it keeps its journal. A damaged one can't be asked: it is nobody's. */
function lockedAlone(file: string): () => void {
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

function assertWhole(database: DatabaseSync, file: string): void {
  const [first] = database.prepare('pragma integrity_check(1)').all();
  const said = String(Object.values(first ?? {})[0]);
  if (said !== 'ok') throw new Error(`${file} is damaged: ${said}`);
}

function schemaVersionIn(database: DatabaseSync): number | undefined {
  if (!hasTable(database, 'schema_migrations')) return undefined;
  return Number(database.prepare('select max(version) as version from schema_migrations').get()?.version);
}

function hasTable(database: DatabaseSync, name: string): boolean {
  const found = database.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(name);
  return found !== undefined;
}

async function withDatabase<Result>(file: string, work: (database: DatabaseSync) => Result): Promise<Result> {
  if (!existsSync(file)) throw new Error(`there is no file ${file}`);
  const database = new DatabaseSync(file, { timeout: limits.databaseStatementMs });
  try {
    return work(database);
  } catch (cause) {
    if (cause instanceof Error && /not a database/.test(cause.message))
      throw new Error(`${file} is no database`, { cause });
    throw cause;
  } finally {
    database.close();
  }
}
