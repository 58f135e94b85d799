import { z } from 'zod';
import { limits as accountsLimits } from '../../../accounts/limits.ts';
import { type AccountProjects, unknownProjectError } from '../../../accounts/projects.ts';
import { changeOf } from '../../../audit/change.ts';
import { defaultPageLimit, pageLimitSchema } from '../../../kernel/input-schemas.ts';
import { projectRoles } from '../../../kernel/ports/identities.ts';
import type { Project } from '../../../kernel/ports/projects.ts';
import { limits } from '../../limits.ts';
import { bySession, defineRoute, inProject } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ProjectSource } from '../project-access.ts';
import type { ApiRoute } from '../route.ts';
import { shortNameSchema, timestamp } from '../text.ts';
import { TimeCursors } from '../time-cursor.ts';
import { parseQuery } from '../validation.ts';

const name = shortNameSchema(accountsLimits.projectNameCharactersMax);
const cursors = new TimeCursors(/^[\w-]{1,100}$/);
const query = {
  limit: pageLimitSchema(limits.projectPageMax),
  after: cursors.querySchema('A `next_cursor`: returns the projects that follow it'),
  search: name.optional().describe('Only projects whose name contains this text'),
  archived: z
    .enum(['true', 'false'], 'must be true or false')
    .optional()
    .describe('Only archived projects, or only others'),
};

const projectSchema = z.strictObject({
  id: z.uuid(),
  name: z.string().describe('Unique in the organization'),
  created_at: z.iso.datetime(),
  archived_at: z.iso.datetime().nullable().describe('Since when its keys are refused; null if they are not'),
});
const yourRole = z.enum(projectRoles).nullable().describe('Your role in the project; null for none');
const oneSchema = projectSchema.extend({
  rights: z
    .array(z.string())
    .describe('What you may do in the project, by your role in the organization or in it'),
});
const pageSchema = z.strictObject({
  projects: z
    .array(projectSchema.extend({ role: yourRole }))
    .describe('In the order in which they were created'),
  total: z.int().describe('All projects, archived or not as asked, whatever the search'),
  next_cursor: z.string().nullable().describe('For `after`; null at the end'),
});
const unauthenticated = { 401: { description: 'Missing or invalid session token' } };
const badBody = { 400: { description: 'The body is invalid' } };
const forbidden = { 403: { description: 'Your role does not have the right' } };
const unknown = { 404: { description: 'The organization has no such project' } };
const taken = { 409: { description: 'The organization has a project of this name' } };

/** The projects of the organization of this session. */
export function projectRoutes(projects: AccountProjects): readonly ApiRoute[] {
  return [...projectListRoutes(projects), ...oneProjectRoutes(projects)];
}

const path = '/v1/organization/projects';
const tag = 'Projects';
/** The project in the path. */
const inPath: ProjectSource = { find: ({ parameters: { id } }) => id, unknown: unknownProjectError };

function projectListRoutes(projects: AccountProjects): readonly ApiRoute[] {
  return [
    defineRoute({
      tag,
      access: bySession('organization'),
      method: 'GET',
      path,
      summary: 'List the projects of the organization; a `member` gets their own',
      query,
      body: noBody,
      responses: {
        200: { description: 'A page of projects', schema: pageSchema },
        400: { description: 'A query parameter is invalid' },
        ...unauthenticated,
      },
      async handle({ caller, query: sent }) {
        const { limit = defaultPageLimit, after, search, ...asked } = parseQuery(query, sent);
        const archived = asked.archived === undefined ? undefined : asked.archived === 'true';
        const position = after === undefined ? undefined : cursors.decode(after);
        const rows = await projects.page(caller, {
          ...{ search, archived, limit: limit + 1 },
          after: position && { createdAtMs: position.atMs, id: position.id },
        });
        const shown = rows.slice(0, limit);
        const last = rows.length > limit ? shown.at(-1)?.project : undefined;
        return {
          body: {
            projects: shown.map(({ project, role }) => ({ ...describeProject(project), role: role ?? null })),
            total: await projects.count(caller, archived),
            next_cursor: last === undefined ? null : cursors.encode({ atMs: last.createdAtMs, id: last.id }),
          },
        };
      },
    }),
    defineRoute({
      tag,
      access: bySession('projects'),
      method: 'POST',
      audit: 'project.created',
      path,
      summary: 'Create a project',
      body: jsonBody({ name }),
      responses: {
        201: { description: 'The project', schema: projectSchema },
        ...badBody,
        ...unauthenticated,
        ...forbidden,
        409: {
          description: `The organization has a project of this name, or ${accountsLimits.projectsMax} projects`,
        },
      },
      async handle({ caller, body }) {
        const project = await projects.create(caller.accountId, body.name);
        return { status: 201, body: describeProject(project), audit: { project: project.id, after: body } };
      },
    }),
  ];
}

function oneProjectRoutes(projects: AccountProjects): readonly ApiRoute[] {
  const one = { tag, access: inProject(bySession('projects'), inPath), path: `${path}/:id` } as const;
  const changed = { ...unauthenticated, ...forbidden, ...unknown };
  return [
    defineRoute({
      ...one,
      method: 'GET',
      summary: 'Get a project',
      body: noBody,
      responses: {
        200: { description: 'The project', schema: oneSchema },
        ...unauthenticated,
        ...unknown,
      },
      async handle({ caller, parameters: { id = '' } }) {
        const project = await projects.find(caller.accountId, id);
        const rights = await projects.rightsIn(caller, project.id);
        return { body: { ...describeProject(project), rights: [...rights] } };
      },
    }),
    defineRoute({
      ...one,
      method: 'PATCH',
      audit: 'project.renamed',
      summary: 'Rename a project',
      body: jsonBody({ name }),
      responses: {
        200: { description: 'The project', schema: projectSchema },
        ...badBody,
        ...changed,
        ...taken,
      },
      async handle({ caller, body, parameters: { id = '' } }) {
        const before = await projects.find(caller.accountId, id);
        const project = await projects.rename(caller.accountId, id, body.name);
        return {
          body: describeProject(project),
          audit: { project: id, ...changeOf({ name: before.name }, body) },
        };
      },
    }),
    defineRoute({
      ...one,
      method: 'POST',
      audit: 'project.archived',
      path: `${path}/:id/archive`,
      summary: 'Archive a project, which refuses its keys',
      body: jsonBody({}),
      responses: {
        200: { description: 'The project; no key of it works on any replica', schema: projectSchema },
        ...changed,
      },
      async handle({ caller, parameters: { id = '' } }) {
        const project = await projects.archive(caller.accountId, id);
        return { body: describeProject(project), audit: { project: id } };
      },
    }),
    defineRoute({
      ...one,
      method: 'POST',
      audit: 'project.restored',
      path: `${path}/:id/restore`,
      summary: 'Restore an archived project and its keys',
      body: jsonBody({}),
      responses: {
        200: { description: 'The project; its keys work again', schema: projectSchema },
        ...changed,
      },
      async handle({ caller, parameters: { id = '' } }) {
        const project = await projects.restore(caller.accountId, id);
        return { body: describeProject(project), audit: { project: id } };
      },
    }),
  ];
}

function describeProject({ id, name: called, createdAtMs, archivedAtMs }: Project) {
  return {
    id,
    name: called,
    created_at: timestamp(createdAtMs),
    archived_at: archivedAtMs === null ? null : timestamp(archivedAtMs),
  };
}
