import { z } from 'zod';
import { GatewayError } from '../../../kernel/errors.ts';
import { scopeOf } from '../../../kernel/exchange.ts';
import type { Archives } from '../../../kernel/ports/archive.ts';
import type { AccountCaller } from '../access.ts';
import { checkedQuery } from '../checked.ts';
import { bySessionOrKey, checkedRoute } from '../checked-route.ts';
import { noBody } from '../json-body.ts';
import type { OwnRoute } from '../route.ts';

const archivedSchema = z.strictObject({
  ref: z.string(),
  createdAt: z.iso.datetime(),
  conversation: z.string(),
  content: z.array(z.looseObject({ role: z.string() })).describe('Messages, as they were before'),
});

const query = {
  conversation: z
    .string()
    .regex(/^[A-Za-z0-9._:-]{1,128}$/, 'must be the name of a conversation')
    .describe('Its name, as `x-weir-conversation` tells it'),
};

const unauthenticated = { 401: { description: 'No credential that holds' } };
const unknown = { 404: { description: 'The account has nothing under this name, or no longer' } };

/** What was left out of the conversations of an account. */
export function archiveRoutes(archives: Archives): readonly OwnRoute[] {
  const common = { tag: 'Archive', access: bySessionOrKey, body: noBody } as const;
  return [
    checkedRoute({
      ...common,
      method: 'GET',
      path: '/v1/archive/:ref',
      summary: 'What was left out of a conversation',
      answers: {
        200: { description: 'The messages', schema: archivedSchema },
        ...unauthenticated,
        ...unknown,
      },
      async handle({ caller, parameters: { ref = '' } }) {
        const found = await archives.find(scopeOfCaller(caller), ref);
        if (found === undefined) throw noSuch(ref);
        const { conversation, createdAtMs, content } = found;
        return { body: { ref, createdAt: new Date(createdAtMs).toISOString(), conversation, content } };
      },
    }),
    checkedRoute({
      ...common,
      method: 'DELETE',
      path: '/v1/archive/:ref',
      summary: 'Forgets what was left out of a conversation',
      answers: { 204: { description: 'Forgotten' }, ...unauthenticated, ...unknown },
      async handle({ caller, parameters: { ref = '' } }) {
        if (!(await archives.remove(scopeOfCaller(caller), ref))) throw noSuch(ref);
        return { status: 204 };
      },
    }),
    checkedRoute({
      ...common,
      method: 'DELETE',
      path: '/v1/archive',
      summary: 'Forgets all that was left out of a conversation',
      query,
      answers: {
        204: { description: 'Forgotten' },
        400: { description: 'No conversation is named' },
        ...unauthenticated,
      },
      async handle({ caller, query: sent }) {
        const { conversation } = checkedQuery(query, sent);
        await archives.removeConversation(scopeOfCaller(caller), conversation);
        return { status: 204 };
      },
    }),
  ];
}

function noSuch(ref: string): GatewayError {
  return new GatewayError('not_found', `there is nothing archived as "${ref.slice(0, 64)}"`);
}

function scopeOfCaller(caller: AccountCaller): string {
  if (caller.kind === 'local') return scopeOf({ kind: 'local' });
  return scopeOf({ kind: 'account', accountId: caller.accountId, keyId: '' });
}
