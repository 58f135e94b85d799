import { z } from 'zod';
import type { Claims } from '../../../sandbox/claims.ts';
import { byKey, defineRoute } from '../define-route.ts';
import { jsonBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';

/** Whatever is there instead is refused in the sandbox's own words. */
const sessionId = z.unknown().optional().meta({ type: 'string', format: 'uuid' });

const claimInfo = z.strictObject({
  ok: z.literal(true),
  session_id: z.uuid(),
  receipts: z.int().describe('How many the session has by now'),
  claimed_at: z.iso.datetime(),
});

/** Receipts of an anonymous session, made an account's own. */
export function claimRoutes(claims: Claims): readonly ApiRoute[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/anon/claim',
      summary: 'Make the receipts of an anonymous session the account’s own',
      tag: 'Sandbox',
      access: byKey,
      body: jsonBody({ session_id: sessionId }),
      responses: {
        200: { description: 'They are, and so will be those to come; none was changed', schema: claimInfo },
        400: { description: 'The id is no UUID: `invalid_session_id`' },
        401: { description: 'No API key that holds; session tokens are none' },
        404: { description: 'There is no such session' },
        409: { description: 'Another account has claimed it: `already_claimed`' },
      },
      async handle({ caller, body }) {
        const asked = typeof body.session_id === 'string' ? body.session_id : '';
        const { sessionId: session_id, receipts, claimedAtMs } = await claims.claim(caller.accountId, asked);
        return { body: { ok: true, session_id, receipts, claimed_at: timestamp(claimedAtMs) } };
      },
    }),
  ];
}
