import { z } from 'zod';
import { scopeOf } from '../../../kernel/caller.ts';
import { endUserRefFromName } from '../../../kernel/end-user.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import type { ArchiveFilter, Archives } from '../../../kernel/ports/archive.ts';
import type { AccountCaller } from '../access.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { parseQuery } from '../validation.ts';

const archivedItemSchema = z.strictObject({
  ref: z.string(),
  createdAt: z.iso.datetime(),
  conversation: z.string(),
  content: z.array(z.looseObject({ role: z.string() })).describe('Messages, as they were before'),
});

const endUserQuery = {
  user: z
    .string()
    .min(1)
    .max(1024)
    .describe('Only what is kept for this end user, as calls name them in `user` or `metadata.user_id`')
    .optional(),
};
const query = {
  conversation: z
    .string()
    .regex(/^[A-Za-z0-9._:-]{1,128}$/, 'must be the name of a conversation')
    .describe('Its name, as `x-weir-conversation` tells it')
    .optional(),
  ...endUserQuery,
};

const unauthenticated = { 401: { description: 'No credential that holds' } };
const unknown = { 404: { description: 'The account has nothing under this name, or no longer' } };

/** What was left out of the conversations of an account. */
export function archiveRoutes(archives: Archives): readonly ApiRoute[] {
  const common = { tag: 'Archive', access: bySessionOrKey, body: noBody } as const;
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/archive/:ref',
      summary: 'What was left out of a conversation',
      query: endUserQuery,
      responses: {
        200: { description: 'The messages', schema: archivedItemSchema },
        ...unauthenticated,
        ...unknown,
      },
      async handle({ caller, parameters: { ref = '' }, query: sent }) {
        const scope = scopeOfCaller(caller);
        const found = await archives.find(scope, { ref, ...endUserIn(sent, scope) });
        if (found === undefined) throw notArchivedError(ref);
        const { conversation, createdAtMs, content } = found;
        return { body: { ref, createdAt: new Date(createdAtMs).toISOString(), conversation, content } };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: '/v1/archive/:ref',
      summary: 'Forgets what was left out of a conversation',
      query: endUserQuery,
      responses: { 204: { description: 'Forgotten' }, ...unauthenticated, ...unknown },
      async handle({ caller, parameters: { ref = '' }, query: sent }) {
        const scope = scopeOfCaller(caller);
        const removed = await archives.remove(scope, { ref, ...endUserIn(sent, scope) });
        if (removed === 0) throw notArchivedError(ref);
        return { status: 204 };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: '/v1/archive',
      summary: 'Forgets all that was left out of a conversation, or of all those of an end user',
      query,
      responses: {
        204: { description: 'Forgotten' },
        400: { description: 'Neither a conversation nor an end user is named' },
        ...unauthenticated,
      },
      async handle({ caller, query: sent }) {
        const scope = scopeOfCaller(caller);
        const { conversation } = parseQuery(query, sent);
        const which = { ...(conversation !== undefined && { conversation }), ...endUserIn(sent, scope) };
        if (Object.keys(which).length === 0)
          throw new GatewayError('invalid_request', 'conversation: name a conversation, or a user', {
            param: 'conversation',
          });
        await archives.remove(scope, which);
        return { status: 204 };
      },
    }),
  ];
}

function endUserIn(sent: string, scope: string): Pick<ArchiveFilter, 'person'> {
  const { user } = parseQuery(endUserQuery, sent);
  return user === undefined ? {} : { person: endUserRefFromName(user, scope) };
}

function notArchivedError(ref: string): GatewayError {
  return new GatewayError('not_found', `there is nothing archived as "${ref.slice(0, 64)}"`);
}

function scopeOfCaller(caller: AccountCaller): string {
  if (caller.kind === 'local') return scopeOf({ kind: 'local' });
  return scopeOf({ kind: 'account', accountId: caller.accountId, keyId: '' });
}
