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
  content: z.array(z.looseObject({ role: z.string() })).describe('The original messages'),
});

const endUserQuery = {
  user: z
    .string()
    .min(1)
    .max(1024)
    .describe('Only entries of this end user, as named by calls in `user` or `metadata.user_id`')
    .optional(),
};
const query = {
  conversation: z
    .string()
    .regex(/^[A-Za-z0-9._:-]{1,128}$/, 'must be a conversation name')
    .describe('The conversation name, from the header `x-weir-conversation`')
    .optional(),
  ...endUserQuery,
};

const unauthenticated = { 401: { description: 'Missing or invalid credential' } };
const unknown = { 404: { description: 'The account has no such archived item, or it has expired' } };

/** Archived parts of an account's conversations, removed by compaction. */
export function archiveRoutes(archives: Archives): readonly ApiRoute[] {
  const common = { tag: 'Archive', access: bySessionOrKey, body: noBody } as const;
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/archive/:ref',
      summary: 'Get messages that were removed from a conversation',
      query: endUserQuery,
      responses: {
        200: { description: 'The messages', schema: archivedItemSchema },
        ...unauthenticated,
        ...unknown,
      },
      async handle({ caller, parameters: { ref = '' }, query: sent }) {
        const scope = scopeOfCaller(caller);
        const archived = await archives.find(scope, { ref, ...endUserIn(sent, scope) });
        if (archived === undefined) throw notArchivedError(ref);
        const { conversation, createdAtMs, content } = archived;
        return { body: { ref, createdAt: new Date(createdAtMs).toISOString(), conversation, content } };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: '/v1/archive/:ref',
      summary: 'Delete an archived item',
      query: endUserQuery,
      responses: { 204: { description: 'Deleted' }, ...unauthenticated, ...unknown },
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
      summary: 'Delete all archived items of a conversation or of an end user',
      query,
      responses: {
        204: { description: 'Deleted' },
        400: { description: 'Neither `conversation` nor `user` is given' },
        ...unauthenticated,
      },
      async handle({ caller, query: sent }) {
        const scope = scopeOfCaller(caller);
        const { conversation } = parseQuery(query, sent);
        const filter = { ...(conversation !== undefined && { conversation }), ...endUserIn(sent, scope) };
        if (Object.keys(filter).length === 0)
          throw new GatewayError('invalid_request', 'conversation: give a conversation or a user', {
            param: 'conversation',
          });
        await archives.remove(scope, filter);
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
  return new GatewayError('not_found', `no archived item "${ref.slice(0, 64)}"`);
}

function scopeOfCaller(caller: AccountCaller): string {
  if (caller.kind === 'local') return scopeOf({ kind: 'local' });
  return scopeOf({ kind: 'account', accountId: caller.accountId, keyId: '' });
}
