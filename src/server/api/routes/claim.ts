import { z } from 'zod';
import type { Claims } from '../../../sandbox/claims.ts';
import { byKey, defineRoute } from '../define-route.ts';
import { jsonBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';

/** `Claims` validates the id and rejects with the sandbox's own error code. */
const sessionId = z.unknown().optional().meta({ type: 'string', format: 'uuid' });

const claimInfo = z.strictObject({
  ok: z.literal(true),
  session_id: z.uuid(),
  receipts: z.int().describe('The number of receipts so far'),
  claimed_at: z.iso.datetime(),
});

export function claimRoutes(claims: Claims): readonly ApiRoute[] {
  return [
    defineRoute({
      method: 'POST',
      audit: 'sandbox.claimed',
      path: '/api/anon/claim',
      summary: 'Claim the receipts of an anonymous session for the account',
      tag: 'Sandbox',
      access: byKey('calls'),
      body: jsonBody({ session_id: sessionId }),
      responses: {
        200: {
          description:
            'The current and future receipts of the session belong to the account; none was changed',
          schema: claimInfo,
        },
        400: { description: 'The id is not a UUID: `invalid_session_id`' },
        401: { description: 'Missing or invalid API key; session tokens are not accepted' },
        404: { description: 'Unknown session' },
        409: { description: 'Another account has claimed it: `already_claimed`' },
      },
      async handle({ caller, body }) {
        const requestedId = typeof body.session_id === 'string' ? body.session_id : '';
        const {
          sessionId: session_id,
          receipts,
          claimedAtMs,
        } = await claims.claim(caller.accountId, requestedId);
        return {
          body: { ok: true, session_id, receipts, claimed_at: timestamp(claimedAtMs) },
          audit: { session: session_id },
        };
      },
    }),
  ];
}
