import { z } from 'zod';
import { changeOf } from '../../../audit/change.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import type { AccountRetentions } from '../../../telemetry/request-log/account-retentions.ts';
import { byPerson, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';

export interface LogSettingsParts {
  readonly retentions: AccountRetentions;
  /** How long the instance keeps calls; 0 if it stores none. */
  readonly maxDays: number;
}

const schema = z.strictObject({
  retention_days: z.number().describe('After so many days a call and its recording are deleted'),
  own_retention_days: z.int().nullable().describe('The choice of the account; null if it has made none'),
  max_retention_days: z
    .number()
    .describe('How long this instance keeps calls of the tier of the account; 0 if it stores none'),
});
const wrongDays = 'must be a whole number from 1 on, or null';
const ownDays = z.int(wrongDays).min(1, wrongDays).nullable();
const unauthenticated = {
  401: { description: 'Missing or invalid session token; API keys are not accepted' },
};

/** How long the calls of an account stay in the log. */
export function logSettingsRoutes({
  retentions,
  maxDays: instanceDays,
}: LogSettingsParts): readonly ApiRoute[] {
  const { table } = retentions;
  const mostDays = async (accountId: string) =>
    Math.min((await retentions.mostDays(accountId)) ?? instanceDays, instanceDays);
  const common = { path: '/v1/requests/settings', tag: 'Usage', access: byPerson('settings') } as const;
  const describe = (own: number | null, maxDays: number): z.infer<typeof schema> => ({
    retention_days: Math.min(own ?? maxDays, maxDays),
    own_retention_days: own,
    max_retention_days: maxDays,
  });
  return [
    defineRoute({
      ...common,
      method: 'GET',
      summary: 'Get how long calls stay in the log',
      body: noBody,
      responses: { 200: { description: 'The current settings', schema }, ...unauthenticated },
      handle: async ({ caller: { accountId } }) => ({
        body: describe((await table.find(accountId)) ?? null, await mostDays(accountId)),
      }),
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      audit: 'log.retention_changed',
      summary: 'Set how long calls stay in the log',
      body: jsonBody({ retention_days: ownDays.describe('Null for as long as this instance keeps calls') }),
      responses: {
        200: { description: 'The new settings. Older calls are deleted within an hour', schema },
        400: { description: 'The body is invalid, or this instance does not keep calls for so long' },
        ...unauthenticated,
      },
      async handle({ caller: { accountId }, body: { retention_days: days } }) {
        const maxDays = await mostDays(accountId);
        const before = (await table.find(accountId)) ?? null;
        if (days === null) await table.delete(accountId);
        else {
          if (days > maxDays)
            throw new GatewayError(
              'invalid_request',
              `retention_days: must be at most ${maxDays}, as long as this instance keeps calls of your tier`,
            );
          await table.put({ accountId, days });
        }
        return {
          body: describe(days, maxDays),
          audit: { days, ...changeOf({ retention_days: before }, { retention_days: days }) },
        };
      },
    }),
  ];
}
