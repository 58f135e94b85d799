import { describe } from 'node:test';
import { anonSessionsConformance } from './database-conformance/anon-sessions.ts';
import { apiKeysConformance } from './database-conformance/api-keys.ts';
import { archiveConformance } from './database-conformance/archive.ts';
import { billingConformance } from './database-conformance/billing.ts';
import { challengesConformance } from './database-conformance/challenges.ts';
import { creditsConformance } from './database-conformance/credits.ts';
import { ledgerConformance } from './database-conformance/ledger.ts';
import { modulesConformance } from './database-conformance/modules.ts';
import { openingConformance } from './database-conformance/opening.ts';
import { paidAnswersConformance } from './database-conformance/paid-answers.ts';
import { patternsConformance } from './database-conformance/patterns.ts';
import { providerKeysConformance } from './database-conformance/provider-keys.ts';
import { receiptsConformance } from './database-conformance/receipts.ts';
import { rechargesConformance } from './database-conformance/recharges.ts';
import { requestLogCleaningConformance } from './database-conformance/request-log-cleaning.ts';
import { requestLogFiltersConformance } from './database-conformance/request-log-filters.ts';
import { requestLogPagesConformance } from './database-conformance/request-log-pages.ts';
import { requestLogRowsConformance } from './database-conformance/request-log-rows.ts';
import { requestLogSumsConformance } from './database-conformance/request-log-sums.ts';
import { sessionsConformance } from './database-conformance/sessions.ts';
import type { CreateDatabaseFixture, SetUpDatabase } from './database-conformance/set-up.ts';
import { settlementsConformance } from './database-conformance/settlements.ts';
import { textConformance } from './database-conformance/text.ts';
import { usageConformance } from './database-conformance/usage.ts';
import { usersConformance } from './database-conformance/users.ts';
import { vectorsConformance } from './database-conformance/vectors.ts';

/** What every home of the database must do, whatever it is made of; `makeReady` makes one that has its tables. */
export function databaseConformance(
  name: string,
  createDatabaseFixture: CreateDatabaseFixture,
  makeReady = createDatabaseFixture,
): void {
  const setUpDatabase: SetUpDatabase = async (t) => {
    const home = await makeReady(t);
    const open = async () => {
      const database = await home.open();
      t.after(() => database.close());
      // Ready at once, so that two who write at the same time do.
      await database.ping();
      return database;
    };
    return { ...home, open, database: await open() };
  };
  describe(name, () => {
    openingConformance(createDatabaseFixture);
    usersConformance(setUpDatabase);
    sessionsConformance(setUpDatabase);
    apiKeysConformance(setUpDatabase);
    providerKeysConformance(setUpDatabase);
    usageConformance(setUpDatabase);
    requestLogRowsConformance(setUpDatabase);
    requestLogPagesConformance(setUpDatabase);
    requestLogFiltersConformance(setUpDatabase);
    requestLogSumsConformance(setUpDatabase);
    requestLogCleaningConformance(setUpDatabase);
    modulesConformance(setUpDatabase);
    anonSessionsConformance(setUpDatabase);
    receiptsConformance(setUpDatabase);
    challengesConformance(setUpDatabase);
    ledgerConformance(setUpDatabase);
    settlementsConformance(setUpDatabase);
    paidAnswersConformance(setUpDatabase);
    vectorsConformance(setUpDatabase);
    archiveConformance(setUpDatabase);
    billingConformance(setUpDatabase);
    creditsConformance(setUpDatabase);
    rechargesConformance(setUpDatabase);
    patternsConformance(setUpDatabase);
    textConformance(setUpDatabase);
  });
}
