import type { TestContext } from 'node:test';
import type { Database } from '../../../src/kernel/ports/records.ts';

/** An empty place for a database, which goes with its test. */
interface DatabaseFixture {
  open(): Promise<Database>;
  /** Runs SQL beside whoever has it open; resolves to the rows. */
  execute(statement: string): Promise<readonly unknown[]>;
}

export type CreateDatabaseFixture = (t: TestContext) => DatabaseFixture | Promise<DatabaseFixture>;

/** A home with its database open, and further ones that are closed with the test. */
interface OpenDatabaseFixture extends DatabaseFixture {
  readonly database: Database;
}

export type SetUpDatabase = (t: TestContext) => Promise<OpenDatabaseFixture>;
