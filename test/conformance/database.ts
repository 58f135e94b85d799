import { describe } from 'node:test';
import { alertsConformance } from './database/alerts.ts';
import { anonSessionsConformance } from './database/anon-sessions.ts';
import { apiKeysConformance } from './database/api-keys.ts';
import { auditConformance } from './database/audit.ts';
import { billingConformance } from './database/billing.ts';
import { challengesConformance } from './database/challenges.ts';
import { collectionEntriesConformance } from './database/collections.ts';
import { configurationsConformance } from './database/configurations.ts';
import { creditsConformance } from './database/credits.ts';
import { dataRetentionsConformance } from './database/data-retentions.ts';
import { keyActivitiesConformance } from './database/key-activities.ts';
import { ledgerConformance } from './database/ledger.ts';
import { legalHoldsConformance } from './database/legal-holds.ts';
import { mcpAuthorizationsConformance } from './database/mcp-authorizations.ts';
import { mcpKeyPeopleConformance } from './database/mcp-key-people.ts';
import { modulesConformance } from './database/modules.ts';
import { newPeopleConformance } from './database/new-people.ts';
import { openingConformance } from './database/opening.ts';
import { organizationsConformance } from './database/organizations.ts';
import { paidAnswersConformance } from './database/paid-answers.ts';
import { patternsConformance } from './database/patterns.ts';
import { processesConformance } from './database/processes.ts';
import { projectsConformance } from './database/projects.ts';
import { promptsConformance } from './database/prompts.ts';
import { providerKeysConformance } from './database/provider-keys.ts';
import { receiptsConformance } from './database/receipts.ts';
import { rechargesConformance } from './database/recharges.ts';
import { recordingsConformance } from './database/recordings.ts';
import { requestLogCleaningConformance } from './database/request-log-cleaning.ts';
import { requestLogConversationsConformance } from './database/request-log-conversations.ts';
import { requestLogEndUsersConformance } from './database/request-log-end-users.ts';
import { requestLogFiltersConformance } from './database/request-log-filters.ts';
import { requestLogPagesConformance } from './database/request-log-pages.ts';
import { requestLogRowsConformance } from './database/request-log-rows.ts';
import { requestLogSumsConformance } from './database/request-log-sums.ts';
import { sessionsConformance } from './database/sessions.ts';
import type { CreateDatabaseFixture, SetUpDatabase } from './database/set-up.ts';
import { settlementsConformance } from './database/settlements.ts';
import { storageConformance } from './database/storage.ts';
import { textConformance } from './database/text.ts';
import { usageConformance } from './database/usage.ts';
import { usersConformance } from './database/users.ts';
import { vectorsConformance } from './database/vectors.ts';

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
    organizationsConformance(setUpDatabase);
    projectsConformance(setUpDatabase);
    processesConformance(setUpDatabase);
    sessionsConformance(setUpDatabase);
    apiKeysConformance(setUpDatabase);
    providerKeysConformance(setUpDatabase);
    configurationsConformance(setUpDatabase);
    promptsConformance(setUpDatabase);
    usageConformance(setUpDatabase);
    requestLogRowsConformance(setUpDatabase);
    requestLogPagesConformance(setUpDatabase);
    requestLogFiltersConformance(setUpDatabase);
    requestLogSumsConformance(setUpDatabase);
    requestLogConversationsConformance(setUpDatabase);
    requestLogEndUsersConformance(setUpDatabase);
    requestLogCleaningConformance(setUpDatabase);
    storageConformance(setUpDatabase);
    modulesConformance(setUpDatabase);
    collectionEntriesConformance(setUpDatabase);
    anonSessionsConformance(setUpDatabase);
    receiptsConformance(setUpDatabase);
    challengesConformance(setUpDatabase);
    ledgerConformance(setUpDatabase);
    settlementsConformance(setUpDatabase);
    paidAnswersConformance(setUpDatabase);
    vectorsConformance(setUpDatabase);
    recordingsConformance(setUpDatabase);
    alertsConformance(setUpDatabase);
    auditConformance(setUpDatabase);
    legalHoldsConformance(setUpDatabase);
    dataRetentionsConformance(setUpDatabase);
    newPeopleConformance(setUpDatabase);
    keyActivitiesConformance(setUpDatabase);
    billingConformance(setUpDatabase);
    creditsConformance(setUpDatabase);
    rechargesConformance(setUpDatabase);
    patternsConformance(setUpDatabase);
    mcpAuthorizationsConformance(setUpDatabase);
    mcpKeyPeopleConformance(setUpDatabase);
    textConformance(setUpDatabase);
  });
}
