import { z } from 'zod';
import type { AccountKeys } from '../../../accounts/api-keys.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { bySession, checkedRoute } from '../checked-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { OwnRoute } from '../route.ts';

const info = z.strictObject({ enabled: z.boolean().describe('Whether calls with this key get receipts') });
const refusals = {
  401: { description: 'No session token that holds; API keys are none' },
  404: { description: 'The account has no such key in use' },
};

/** Which keys get receipts for their calls. */
export function keyReceiptsRoutes(keys: AccountKeys): readonly OwnRoute[] {
  const path = '/v1/keys/:id/receipts';
  const tag = 'Receipts';
  return [
    checkedRoute({
      method: 'GET',
      path,
      summary: 'Whether calls with a key get receipts',
      tag,
      access: bySession,
      body: noBody,
      answers: { 200: { description: 'As it is now', schema: info }, ...refusals },
      async handle({ caller, parameters: { id } }) {
        const key = (await keys.list(caller.accountId)).find(
          (one) => one.id === id && one.revokedAtMs === null,
        );
        if (key === undefined) throw new GatewayError('not_found', 'there is no such key, or it is revoked');
        return { body: { enabled: key.receipts } };
      },
    }),
    checkedRoute({
      method: 'PUT',
      path,
      summary: 'Switch receipts for the calls of a key on or off',
      tag,
      access: bySession,
      body: jsonBody({ enabled: z.boolean('must be true or false') }),
      answers: {
        200: { description: 'As it is from the next call on, everywhere', schema: info },
        400: { description: 'The body is wrong' },
        ...refusals,
      },
      async handle({ caller, body: { enabled }, parameters: { id = '' } }) {
        await keys.change(caller.accountId, id, { receipts: enabled });
        return { body: { enabled } };
      },
    }),
  ];
}
