import { z } from 'zod';
import type { AccountApiKeys } from '../../../accounts/account-api-keys.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { bySession, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';

const keyReceiptsSchema = z.strictObject({
  enabled: z.boolean().describe('Whether calls with this key get receipts'),
});
const errorResponses = {
  401: { description: 'No session token that holds; API keys are none' },
  404: { description: 'The account has no such key in use' },
};

/** Which keys get receipts for their calls. */
export function keyReceiptRoutes(keys: AccountApiKeys): readonly ApiRoute[] {
  const path = '/v1/keys/:id/receipts';
  const tag = 'Receipts';
  return [
    defineRoute({
      method: 'GET',
      path,
      summary: 'Whether calls with a key get receipts',
      tag,
      access: bySession,
      body: noBody,
      responses: { 200: { description: 'As it is now', schema: keyReceiptsSchema }, ...errorResponses },
      async handle({ caller, parameters: { id } }) {
        const key = (await keys.list(caller.accountId)).find(
          (one) => one.id === id && one.revokedAtMs === null,
        );
        if (key === undefined) throw new GatewayError('not_found', 'there is no such key, or it is revoked');
        return { body: { enabled: key.receipts } };
      },
    }),
    defineRoute({
      method: 'PUT',
      path,
      summary: 'Switch receipts for the calls of a key on or off',
      tag,
      access: bySession,
      body: jsonBody({ enabled: z.boolean('must be true or false') }),
      responses: {
        200: { description: 'As it is from the next call on, everywhere', schema: keyReceiptsSchema },
        400: { description: 'The body is wrong' },
        ...errorResponses,
      },
      async handle({ caller, body: { enabled }, parameters: { id = '' } }) {
        await keys.change(caller.accountId, id, { receipts: enabled });
        return { body: { enabled } };
      },
    }),
  ];
}
