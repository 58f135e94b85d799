import { z } from 'zod';
import { bearerTokenOf } from '../../../calls/bearer-token.ts';
import type { Receipts } from '../../../kernel/ports/receipts.ts';
import type { AnonSession } from '../../../kernel/ports/sandbox.ts';
import { type HeaderList, headerOf } from '../../../lib/headers.ts';
import { receiptRow, receiptSchema } from '../../../receipts/receipt.ts';
import type { AnonymousSessions } from '../../../sandbox/anonymous-sessions.ts';
import { type AccessRule, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';

export interface AnonymousParts {
  readonly sessions: AnonymousSessions;
  readonly receipts: Pick<Receipts, 'ofSession'>;
  /** The value of the `x-weir-sandbox` header. */
  readonly sandboxHeader: string;
  /** Rejects a client that may not start a session. */
  checkMayStart(headers: HeaderList, address: string): Promise<void>;
}

const sessionInfo = z.strictObject({
  session_id: z.uuid(),
  anon_token: z.string().describe('The token, shown only once'),
  request_limit: z.int(),
  requests_used: z.int(),
  expires_at: z.iso.datetime(),
});
const listInfo = z.strictObject({ receipts: z.array(receiptSchema) });

const errorResponses = {
  400: { description: 'The id is not a UUID: `invalid_session_id`' },
  401: { description: 'Missing, invalid or revoked session token: `invalid_anon_token`' },
  410: { description: 'The session has expired: `session_expired`' },
};

/** Anonymous sessions: anyone may start one; its token reads its receipts and revokes it. */
export function anonymousRoutes({
  sessions,
  receipts,
  sandboxHeader,
  checkMayStart,
}: AnonymousParts): readonly ApiRoute[] {
  const tag = 'Sandbox';
  const byToken: AccessRule<AnonSession> = {
    name: 'anonToken',
    check: ({ headers, parameters }) => sessions.authenticate(parameters.session_id ?? '', tokenOf(headers)),
  };
  const byAnyone: AccessRule<void> = {
    name: 'public',
    async check({ headers, remoteAddress }) {
      await checkMayStart(headers, remoteAddress);
      await sessions.limitCreation(remoteAddress);
    },
  };
  return [
    defineRoute({
      method: 'POST',
      audit: 'none',
      path: '/v1/anon/sessions',
      summary: 'Start an anonymous session; its calls and receipts are public',
      tag,
      access: byAnyone,
      body: jsonBody({}),
      responses: {
        201: {
          description: 'The session',
          schema: sessionInfo,
          headers: {
            'x-weir-sandbox':
              'The model and output limit of the session, and a notice that its content is public',
          },
        },
        400: { description: 'The body is invalid' },
        429: { description: 'Too many sessions from this address' },
      },
      async handle({ remoteAddress }) {
        const { session, token } = await sessions.create(remoteAddress);
        return {
          status: 201,
          headers: ['x-weir-sandbox', sandboxHeader],
          body: {
            session_id: session.id,
            anon_token: token,
            request_limit: session.requestLimit,
            requests_used: session.requestsUsed,
            expires_at: timestamp(session.expiresAtMs),
          },
        };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/anon/sessions/:session_id/receipts',
      summary: 'The receipts of an anonymous session',
      tag,
      access: byToken,
      body: noBody,
      responses: {
        200: { description: 'The receipts in the order of their calls', schema: listInfo },
        ...errorResponses,
      },
      async handle({ caller }) {
        const stored = await receipts.ofSession(caller.sessionRef);
        return { body: { receipts: stored.map(receiptRow) } };
      },
    }),
    defineRoute({
      method: 'DELETE',
      audit: 'none',
      path: '/v1/anon/sessions/:session_id',
      summary: 'Revoke an anonymous session',
      tag,
      access: byToken,
      body: noBody,
      responses: { 204: { description: 'The token no longer works' }, ...errorResponses },
      async handle({ caller }) {
        await sessions.revoke(caller);
        return { status: 204 };
      },
    }),
  ];
}

function tokenOf(headers: HeaderList): string | undefined {
  return bearerTokenOf(headers) ?? headerOf(headers, 'x-api-key');
}
