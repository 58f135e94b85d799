import { z } from 'zod';
import type { AccountApiKeys } from '../../../accounts/account-api-keys.ts';
import { changeOf } from '../../../audit/change.ts';
import { bySession, defineRoute, inNamedProject, inProject } from '../define-route.ts';
import { jsonBody } from '../json-body.ts';
import { projectOfKey } from '../project-access.ts';
import type { ApiRoute } from '../route.ts';

const project_id = z
  .uuid('must be the id of a project, or null')
  .nullable()
  .describe('The project; null for the organization itself');
const schema = z.strictObject({ project_id });

/** The project of a key. */
export function keyProjectRoute(keys: AccountApiKeys): ApiRoute {
  return defineRoute({
    method: 'PUT',
    audit: 'key.changed',
    path: '/v1/keys/:id/project',
    summary: 'Move a key to a project, or out of any; its calls go with it',
    tag: 'Keys',
    access: inNamedProject(inProject(bySession('keys'), projectOfKey(keys))),
    body: jsonBody({ project_id }),
    responses: {
      200: { description: 'The new project, effective from the next call on all replicas', schema },
      400: { description: 'The body is invalid' },
      401: { description: 'Missing or invalid session token; API keys are not accepted' },
      404: { description: 'The account has no such active key, or no such project' },
      409: { description: 'The project is archived, or has as many keys as it may have' },
    },
    async handle({ caller, body, parameters: { id = '' } }) {
      await caller.requireRightIn(body.project_id);
      const before = await keys.find(caller.accountId, id);
      await keys.move(caller.accountId, id, body.project_id);
      return { body, audit: { key: id, ...changeOf({ project_id: before.projectId }, body) } };
    },
  });
}
