import { z } from 'zod';
import type { AccountApiKeys } from '../../../accounts/account-api-keys.ts';
import { changeOf } from '../../../audit/change.ts';
import { recordingModes } from '../../../kernel/ports/recordings.ts';
import { bySession, defineRoute, inProject } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import { projectOfKey } from '../project-access.ts';
import type { ApiRoute } from '../route.ts';

const record = z
  .enum(recordingModes, 'must be off, sample, all or null')
  .nullable()
  .describe('Which calls with this key are recorded; null for the default of the instance');
const schema = z.strictObject({ record });
const errorResponses = {
  401: { description: 'Missing or invalid session token; API keys are not accepted' },
  404: { description: 'The account has no such key; a revoked one can be read, not changed' },
};

/** Which calls of a key are recorded. */
export function keyRecordingRoutes(keys: AccountApiKeys): readonly ApiRoute[] {
  const common = {
    path: '/v1/keys/:id/recording',
    tag: 'Recordings',
    access: inProject(bySession('keys'), projectOfKey(keys)),
  } as const;
  return [
    defineRoute({
      ...common,
      method: 'GET',
      summary: 'Get which calls with a key are recorded',
      body: noBody,
      responses: { 200: { description: 'The current mode', schema }, ...errorResponses },
      async handle({ caller, parameters: { id = '' } }) {
        const { record } = await keys.find(caller.accountId, id);
        return { body: { record } };
      },
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      audit: 'key.changed',
      summary: 'Set which calls with a key are recorded',
      body: jsonBody({ record }),
      responses: {
        200: { description: 'The new mode, effective from the next call on all replicas', schema },
        400: { description: 'The body is invalid' },
        ...errorResponses,
      },
      async handle({ caller, body, parameters: { id = '' } }) {
        const before = await keys.find(caller.accountId, id);
        await keys.change(caller.accountId, id, { record: body.record });
        return {
          body: { record: body.record },
          audit: { key: id, ...changeOf({ record: before.record }, body) },
        };
      },
    }),
  ];
}
