import { z } from 'zod';
import type { AccountApiKeys } from '../../../accounts/account-api-keys.ts';
import { changeOf } from '../../../audit/change.ts';
import { bySession, defineRoute, inProject } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import { projectOfKey } from '../project-access.ts';
import type { ApiRoute } from '../route.ts';

const keyReceiptsSchema = z.strictObject({
  enabled: z.boolean().describe('Whether calls with this key get receipts'),
});
const errorResponses = {
  401: { description: 'Missing or invalid session token; API keys are not accepted' },
  404: { description: 'The account has no such key; a revoked one can be read, not changed' },
};

export function keyReceiptRoutes(keys: AccountApiKeys): readonly ApiRoute[] {
  const path = '/v1/keys/:id/receipts';
  const tag = 'Receipts';
  return [
    defineRoute({
      method: 'GET',
      path,
      summary: 'Get whether calls with a key get receipts',
      tag,
      access: inProject(bySession('keys'), projectOfKey(keys)),
      body: noBody,
      responses: { 200: { description: 'The current state', schema: keyReceiptsSchema }, ...errorResponses },
      async handle({ caller, parameters: { id = '' } }) {
        const { receipts } = await keys.find(caller.accountId, id);
        return { body: { enabled: receipts } };
      },
    }),
    defineRoute({
      method: 'PUT',
      audit: 'key.changed',
      path,
      summary: 'Turn receipts for calls with a key on or off',
      tag,
      access: inProject(bySession('keys'), projectOfKey(keys)),
      body: jsonBody({ enabled: z.boolean('must be true or false') }),
      responses: {
        200: {
          description: 'The new state, effective from the next call on all replicas',
          schema: keyReceiptsSchema,
        },
        400: { description: 'The body is invalid' },
        ...errorResponses,
      },
      async handle({ caller, body: { enabled }, parameters: { id = '' } }) {
        const before = await keys.find(caller.accountId, id);
        await keys.change(caller.accountId, id, { receipts: enabled });
        const change = changeOf({ receipts: before.receipts }, { receipts: enabled });
        return { body: { enabled }, audit: { key: id, ...change } };
      },
    }),
  ];
}
