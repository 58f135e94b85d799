import { z } from 'zod';
import type { AccountApiKeys } from '../../../accounts/account-api-keys.ts';
import { changeOf } from '../../../audit/change.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import type { McpKeyPeople } from '../../../kernel/ports/mcp-authorization.ts';
import type { Clock } from '../../../lib/clock.ts';
import { bySession, defineRoute, inProject } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import { namedProject, projectOfKey, projectQuery } from '../project-access.ts';
import type { ApiRoute } from '../route.ts';

export interface KeyPeopleParts {
  readonly keys: AccountApiKeys;
  readonly people: McpKeyPeople;
  readonly clock: Clock;
}

const person = z.string().nullable().describe('The id of the person; null for nobody');
const unauthenticated = {
  401: { description: 'Missing or invalid session token; API keys are not accepted' },
};

/** For whom keys act at MCP servers. The owner of a key is a text that others can set; only the person can say that a key acts for them. */
export function keyPeopleRoutes({ keys, people, clock }: KeyPeopleParts): readonly ApiRoute[] {
  const tag = 'Keys';
  return [
    defineRoute({
      tag,
      access: inProject(bySession('keys'), namedProject),
      query: { project: projectQuery.describe('The id of a project: its keys only') },
      method: 'GET',
      path: '/v1/keys/people',
      summary: 'List for whom each active key acts at MCP servers',
      body: noBody,
      responses: {
        200: {
          description: 'The keys, newest first',
          schema: z.strictObject({ keys: z.array(z.strictObject({ id: z.uuid(), person })) }),
        },
        ...unauthenticated,
      },
      async handle({ caller }) {
        const all = await keys.list(caller.accountId, caller.projectId);
        const byKey = await people.list(caller.accountId);
        const active = all.filter(({ revokedAtMs }) => revokedAtMs === null);
        return { body: { keys: active.map(({ id }) => ({ id, person: byKey.get(id) ?? null })) } };
      },
    }),
    defineRoute({
      tag,
      access: inProject(bySession('keys'), projectOfKey(keys)),
      method: 'PUT',
      audit: 'key.changed',
      path: '/v1/keys/:id/person',
      summary: 'Let a key act for you at MCP servers, or for nobody',
      body: jsonBody({
        person: z.literal('me').nullable().describe('`me`, or null for nobody'),
      }),
      responses: {
        200: { description: 'For whom the key acts now', schema: z.strictObject({ person }) },
        403: { description: 'A service account is no person' },
        404: { description: 'The account has no such active key' },
        ...unauthenticated,
      },
      async handle({ caller, body, parameters: { id = '' } }) {
        const { accountId, identityId, isService } = caller;
        if (body.person !== null && isService)
          throw new GatewayError('forbidden', 'a key acts for a person, and this is a service account');
        const key = await keys.find(accountId, id);
        if (key.revokedAtMs !== null) throw new GatewayError('not_found', 'this key was revoked');
        const before = await people.personOf(accountId, id);
        const after = body.person === null ? null : String(identityId);
        await people.set({ accountId, keyId: id }, after, clock.now());
        return {
          body: { person: after },
          audit: { key: id, ...changeOf({ person: before ?? null }, { person: after }) },
        };
      },
    }),
  ];
}
