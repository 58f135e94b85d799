import { Departure } from '../../accounts/departure.ts';
import type { Erasing } from '../../accounts/erasing.ts';
import type { UsageRecorder } from '../../billing/usage-recorder.ts';
import { usageReport } from '../../billing/usage-report.ts';
import { usageReportSchema } from '../../billing/usage-report-schema.ts';
import type { PipelineChoice } from '../../calls/pipeline-choice.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Module } from '../../kernel/module.ts';
import type { AnonymousSessions } from '../../sandbox/anonymous-sessions.ts';
import { Claims } from '../../sandbox/claims.ts';
import type { OwnRoute } from '../../server/own/route.ts';
import { accountPagesRoutes } from '../../server/own/routes/account-pages.ts';
import { claimRoutes } from '../../server/own/routes/claim.ts';
import { exportRoute } from '../../server/own/routes/export.ts';
import { keyReceiptsRoutes } from '../../server/own/routes/key-receipts.ts';
import { keysRoutes } from '../../server/own/routes/keys.ts';
import { localModeRoutes } from '../../server/own/routes/local-mode.ts';
import { localSessionRoutes } from '../../server/own/routes/local-session.ts';
import { recoveryRoutes } from '../../server/own/routes/recovery.ts';
import { sessionsRoutes } from '../../server/own/routes/sessions.ts';
import { type UsageQuestion, usageRoutes } from '../../server/own/routes/usage.ts';
import { usersRoutes } from '../../server/own/routes/users.ts';
import type { Log } from '../../telemetry/log.ts';
import { erasingOf, forgetContent } from '../erase-steps.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';
import type { EmbeddingsPart } from './embeddings.ts';
import type { People } from './people.ts';
import type { Stores } from './stores.ts';

interface AccountParts {
  readonly settings: Settings;
  readonly stores: Stores;
  readonly usage: UsageRecorder;
  readonly people: People;
  readonly sessions: AnonymousSessions;
  readonly pipelines: PipelineChoice;
  readonly log: Log;
  readonly modules: ReadonlyMap<string, Module>;
  readonly meaning: EmbeddingsPart;
  /** Nothing is charged to an account from then on. */
  leave(accountId: string): Promise<void>;
}

/** What people look up and change for themselves. */
export function accountsPart(parts: AccountParts): Part {
  const report = (question: UsageQuestion) => reportOf(parts, question);
  const erasing = erasingOf(parts);
  if (parts.people.services !== undefined) erasing.start();
  return {
    routes: [
      ...usageRoutes({ report, schema: usageReportSchema, clock: systemClock }),
      ...accountRoutes(parts, erasing),
    ],
    close: () => erasing.close(),
  };
}

function accountRoutes(parts: AccountParts, erasing: Erasing): readonly OwnRoute[] {
  const { people, pipelines, sessions, settings, stores, leave } = parts;
  const { services, cookies } = people;
  if (services === undefined)
    return [
      ...localModeRoutes(),
      ...localSessionRoutes({ localToken: settings.localToken, attempts: stores.shared.attempts, cookies }),
    ];
  const { receipts } = stores.database;
  const { accounts, recovery, tokens } = services;
  const departure = new Departure({
    accounts,
    users: stores.database.users,
    versions: stores.shared.versions,
    erasing,
    clock: systemClock,
    beforehand: leave,
  });
  return [
    ...usersRoutes({ accounts, recovery, departure, cookies }),
    ...sessionsRoutes({ accounts, tokens }),
    exportRoute({ rows: stores.database.accountRows, attempts: stores.shared.attempts }),
    ...recoveryRoutes({ accounts, recovery, forgetContent: forgetContent(parts) }),
    ...accountPagesRoutes(),
    ...keysRoutes({ keys: services.accountKeys, warningsFor: (list) => pipelines.faults(list) }),
    ...keyReceiptsRoutes(services.accountKeys),
    ...claimRoutes(new Claims({ sessions, receipts, clock: systemClock })),
  ];
}

/** With where the account stands in its period, where there is one. */
async function reportOf({ usage, people, stores }: AccountParts, question: UsageQuestion): Promise<object> {
  const { accountId, from, to } = question;
  const { quota } = people;
  const [rows, modules] = await Promise.all([usage.days(question), usage.modules(question)]);
  const user =
    accountId === undefined || quota === undefined ? undefined : await stores.database.users.byId(accountId);
  const standing = user === undefined ? undefined : await quota?.standing(user);
  return usageReport({ from, to }, { rows, modules }, standing);
}
