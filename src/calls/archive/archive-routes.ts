import { z } from 'zod';
import { endUserRefFromName } from '../../kernel/end-user.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { defineModuleRoute, type ModuleRoute } from '../../kernel/module-route.ts';
import { limits } from '../limits.ts';
import type { ArchiveFilter, Archives, ListedItem } from './archives.ts';

const archivedItemSchema = z.strictObject({
  ref: z.string(),
  createdAt: z.iso.datetime(),
  conversation: z.string(),
  content: z.array(z.looseObject({ role: z.string() })).describe('The original messages'),
});

const conversationsSchema = z.strictObject({
  conversations: z
    .array(
      z.strictObject({
        conversation: z.string(),
        items: z.int(),
        bytes: z.int().describe('As stored, compressed'),
        firstAt: z.iso.datetime(),
        lastAt: z.iso.datetime(),
      }),
    )
    .describe('The newest first'),
  isComplete: z
    .boolean()
    .describe(
      `False if there are more than ${limits.archiveListedMax} items, of which the newest are counted`,
    ),
});
const itemsSchema = z.strictObject({
  items: z.array(
    z.strictObject({
      ref: z.string(),
      createdAt: z.iso.datetime(),
      expiresAt: z.iso.datetime().nullable(),
      bytes: z.int(),
      isPersonal: z.boolean().describe('Whether it belongs to one end user'),
    }),
  ),
  next: z.string().nullable().describe('The value of `after` for the next page; null on the last'),
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
      path: '/v1/archive',
      summary: 'List the conversations with archived items',
      responses: {
        200: { description: 'The conversations', schema: conversationsSchema },
        ...unauthenticated,
      },
      async handle({ scope }) {
        const { conversations, isComplete } = await archives.conversations(scope);
        return {
          body: {
            conversations: conversations.map(({ firstAtMs, lastAtMs, ...one }) => ({
              ...one,
              firstAt: new Date(firstAtMs).toISOString(),
              lastAt: new Date(lastAtMs).toISOString(),
            })),
            isComplete,
          },
        };
      },
    }),
    defineModuleRoute({
      ...common,
      method: 'GET',
      path: '/v1/archive/conversations/:name',
      summary: 'List the archived items of a conversation, the newest first',
      query: { after: z.string().max(300).optional().describe('`next` of the previous page') },
      responses: {
        200: { description: 'The items', schema: itemsSchema },
        400: { description: 'A query parameter is invalid' },
        ...unauthenticated,
      },
      async handle({ scope, parameters: { name = '' }, query: { after } }) {
        const { items, next } = await archives.items(scope, { conversation: name, after });
        return { body: { items: items.map(describeItem), next: next ?? null } };
      },
    }),
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

function describeItem({ ref, createdAtMs, expiresAtMs, bytes, person }: ListedItem) {
  return {
    ref,
    createdAt: new Date(createdAtMs).toISOString(),
    expiresAt: expiresAtMs === undefined ? null : new Date(expiresAtMs).toISOString(),
    bytes,
    isPersonal: person !== null,
  };
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
