import { z } from 'zod';
import type { AccountApiKeys } from '../../../accounts/account-api-keys.ts';
import { changeOf } from '../../../audit/change.ts';
import { limits } from '../../limits.ts';
import { bySession, defineRoute, inProject } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import { namedProject, projectOfKey, projectQuery } from '../project-access.ts';
import type { ApiRoute } from '../route.ts';
import { textSchema, timestamp } from '../text.ts';

const owner = textSchema({ max: limits.keyNameCharactersMax }).describe(
  'Who uses the key, in your words; empty for nobody',
);
const schema = z.strictObject({
  keys: z.array(
    z.strictObject({
      id: z.uuid(),
      owner,
      modules_since: z
        .record(z.string(), z.iso.datetime())
        .describe('Since when the modules of its own pipeline are in it; without those of earlier versions'),
    }),
  ),
});
const unauthenticated = {
  401: { description: 'Missing or invalid session token; API keys are not accepted' },
};

/** Who uses each key, and since when it has its modules. */
export function keyOwnerRoutes(keys: AccountApiKeys): readonly ApiRoute[] {
  const tag = 'Keys';
  return [
    defineRoute({
      tag,
      access: inProject(bySession('keys'), namedProject),
      query: { project: projectQuery.describe('The id of a project: its keys only') },
      method: 'GET',
      path: '/v1/keys/owners',
      summary: 'List who uses each active key, and since when it has its modules',
      body: noBody,
      responses: { 200: { description: 'The keys, newest first', schema }, ...unauthenticated },
      async handle({ caller }) {
        const active = (await keys.list(caller.accountId, caller.projectId)).filter(
          ({ revokedAtMs }) => revokedAtMs === null,
        );
        return {
          body: {
            keys: active.map(({ id, owner, modulesSinceMs }) => ({
              id,
              owner,
              modules_since: Object.fromEntries(
                Object.entries(modulesSinceMs).map(([module, ms]) => [module, timestamp(ms)]),
              ),
            })),
          },
        };
      },
    }),
    defineRoute({
      tag,
      access: inProject(bySession('keys'), projectOfKey(keys)),
      method: 'PUT',
      audit: 'key.changed',
      path: '/v1/keys/:id/owner',
      summary: 'Set who uses a key',
      body: jsonBody({ owner }),
      responses: {
        200: { description: 'The new owner', schema: z.strictObject({ owner }) },
        400: { description: 'The body is invalid' },
        404: { description: 'The account has no such active key' },
        ...unauthenticated,
      },
      async handle({ caller, body, parameters: { id = '' } }) {
        const before = await keys.find(caller.accountId, id);
        await keys.change(caller.accountId, id, { owner: body.owner });
        return {
          body: { owner: body.owner },
          audit: { key: id, ...changeOf({ owner: before.owner }, body) },
        };
      },
    }),
  ];
}
