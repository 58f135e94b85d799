import type { TestContext } from 'node:test';
import type { Database } from '../../kernel/ports/records.ts';

/** An empty place for a database, which goes with its test. */
interface DatabaseHome {
  open(): Promise<Database>;
  /** Runs SQL beside whoever has it open; resolves to the rows. */
  execute(statement: string): Promise<readonly unknown[]>;
}

export type MakeHome = (t: TestContext) => DatabaseHome | Promise<DatabaseHome>;

/** A home with its database open, and further ones that are closed with the test. */
interface House extends DatabaseHome {
  readonly database: Database;
}

export type SetUp = (t: TestContext) => Promise<House>;
