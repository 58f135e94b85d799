import { z } from 'zod';
import { endUserRefFromName } from '../../kernel/end-user.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { defineModuleRoute, type ModuleRoute } from '../../kernel/module-route.ts';
import type { ArchiveFilter, Archives } from './archives.ts';

const archivedItemSchema = z.strictObject({
  ref: z.string(),
  createdAt: z.iso.datetime(),
  conversation: z.string(),
  content: z.array(z.looseObject({ role: z.string() })).describe('The original messages'),
});

const user = z
  .string()
  .min(1)
  .max(1024)
  .describe('Only entries of this end user, as named by calls in `user` or `metadata.user_id`')
  .optional();
const conversation = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,128}$/, 'must be a conversation name')
  .describe('The conversation name, from the header `x-weir-conversation`')
  .optional();

const unauthenticated = { 401: { description: 'Missing or invalid credential' } };
const unknown = { 404: { description: 'The account has no such archived item, or it has expired' } };

/** Archived parts of an account's conversations, removed by compaction. */
export function archiveRoutes(archives: Archives): readonly ModuleRoute[] {
  const common = { tag: 'Archive', access: 'sessionOrKey' } as const;
  return [
    defineModuleRoute({
      ...common,
      method: 'GET',
      path: '/v1/archive/:ref',
      summary: 'Get messages that were removed from a conversation',
      query: { user },
      responses: {
        200: { description: 'The messages', schema: archivedItemSchema },
        ...unauthenticated,
        ...unknown,
      },
      async handle({ scope, parameters: { ref = '' }, query }) {
        const archived = await archives.find(scope, { ref, ...endUserIn(query, scope) });
        if (archived === undefined) throw notArchivedError(ref);
        const { createdAtMs, content } = archived;
        const createdAt = new Date(createdAtMs).toISOString();
        return { body: { ref, createdAt, conversation: archived.conversation, content } };
      },
    }),
    defineModuleRoute({
      ...common,
      method: 'DELETE',
      path: '/v1/archive/:ref',
      summary: 'Delete an archived item',
      query: { user },
      responses: { 204: { description: 'Deleted' }, ...unauthenticated, ...unknown },
      async handle({ scope, parameters: { ref = '' }, query }) {
        const removed = await archives.remove(scope, { ref, ...endUserIn(query, scope) });
        if (removed === 0) throw notArchivedError(ref);
        return { status: 204 };
      },
    }),
    defineModuleRoute({
      ...common,
      method: 'DELETE',
      path: '/v1/archive',
      summary: 'Delete all archived items of a conversation or of an end user',
      query: { conversation, user },
      responses: {
        204: { description: 'Deleted' },
        400: { description: 'Neither `conversation` nor `user` is given' },
        ...unauthenticated,
      },
      async handle({ scope, query }) {
        const filter = {
          ...(query.conversation !== undefined && { conversation: query.conversation }),
          ...endUserIn(query, scope),
        };
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

function endUserIn(
  query: { readonly user?: string | undefined },
  scope: string,
): Pick<ArchiveFilter, 'person'> {
  return query.user === undefined ? {} : { person: endUserRefFromName(query.user, scope) };
}

function notArchivedError(ref: string): GatewayError {
  return new GatewayError('not_found', `no archived item "${ref.slice(0, 64)}"`);
}
