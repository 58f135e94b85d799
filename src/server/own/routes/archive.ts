import { z } from 'zod';
import { scopeOf } from '../../../kernel/caller.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { personRefOf } from '../../../kernel/person.ts';
import type { ArchiveChoice, Archives } from '../../../kernel/ports/archive.ts';
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

const ofUser = {
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
  ...ofUser,
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
      query: ofUser,
      answers: {
        200: { description: 'The messages', schema: archivedSchema },
        ...unauthenticated,
        ...unknown,
      },
      async handle({ caller, parameters: { ref = '' }, query: sent }) {
        const scope = scopeOfCaller(caller);
        const found = await archives.find(scope, { ref, ...personIn(sent, scope) });
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
      query: ofUser,
      answers: { 204: { description: 'Forgotten' }, ...unauthenticated, ...unknown },
      async handle({ caller, parameters: { ref = '' }, query: sent }) {
        const scope = scopeOfCaller(caller);
        const removed = await archives.remove(scope, { ref, ...personIn(sent, scope) });
        if (removed === 0) throw noSuch(ref);
        return { status: 204 };
      },
    }),
    checkedRoute({
      ...common,
      method: 'DELETE',
      path: '/v1/archive',
      summary: 'Forgets all that was left out of a conversation, or of all those of an end user',
      query,
      answers: {
        204: { description: 'Forgotten' },
        400: { description: 'Neither a conversation nor an end user is named' },
        ...unauthenticated,
      },
      async handle({ caller, query: sent }) {
        const scope = scopeOfCaller(caller);
        const { conversation } = checkedQuery(query, sent);
        const which = { ...(conversation !== undefined && { conversation }), ...personIn(sent, scope) };
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

function personIn(sent: string, scope: string): Pick<ArchiveChoice, 'person'> {
  const { user } = checkedQuery(ofUser, sent);
  return user === undefined ? {} : { person: personRefOf(user, scope) };
}

function noSuch(ref: string): GatewayError {
  return new GatewayError('not_found', `there is nothing archived as "${ref.slice(0, 64)}"`);
}

function scopeOfCaller(caller: AccountCaller): string {
  if (caller.kind === 'local') return scopeOf({ kind: 'local' });
  return scopeOf({ kind: 'account', accountId: caller.accountId, keyId: '' });
}
