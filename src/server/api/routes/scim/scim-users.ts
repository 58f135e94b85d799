import { attributesOf, operationsOf } from '../../../../accounts/scim/operations.ts';
import { project, userResource } from '../../../../accounts/scim/resources.ts';
import type { ScimUser } from '../../../../kernel/ports/scim.ts';
import { defineRoute } from '../../define-route.ts';
import { noBody } from '../../json-body.ts';
import type { ApiRoute } from '../../route.ts';
import {
  baseOf,
  isUnchanged,
  listAnswer,
  pageIn,
  projectionIn,
  resourceAnswer,
  type ScimRouteParts,
  scimPath,
  scimQueries,
  scimResponses,
  scimRouteOf,
  versionIn,
} from './scim-route.ts';

/** The people of an organization, as its identity provider manages them. */
export function scimUserRoutes(parts: ScimRouteParts): readonly ApiRoute[] {
  const { provisioning } = parts;
  const { common, unknown, conflict, outdated, ok, made, done, unchanged } = scimResponses;
  const shared = scimRouteOf(parts);
  const all = { ...shared, path: `${scimPath}/Users` } as const;
  const one = { ...shared, path: `${scimPath}/Users/:id` } as const;
  return [
    defineRoute({
      ...all,
      method: 'GET',
      summary: 'List users, or find some',
      query: scimQueries.list,
      body: noBody,
      responses: { ...ok, ...common },
      async handle({ caller, query }) {
        const { projection, ...page } = pageIn(query);
        const { total, items } = await provisioning.users(caller, page);
        const base = baseOf(parts, caller);
        return listAnswer(
          items.map((user) => project(userResource(user, base), projection)),
          { total, offset: page.offset },
        );
      },
    }),
    defineRoute({
      ...all,
      method: 'POST',
      audit: 'scim.user_created',
      summary: 'Create a user, who becomes a member',
      query: scimQueries.one,
      responses: { ...made, ...common, ...conflict },
      async handle({ caller, body, query }) {
        const user = await provisioning.createUser(caller, attributesOf(body));
        const resource = userResource(user, baseOf(parts, caller));
        return {
          ...resourceAnswer(resource, user, projectionIn(query)),
          status: 201,
          audit: { scimUser: user.id, after: factsOf(user) },
        };
      },
    }),
    defineRoute({
      ...one,
      method: 'GET',
      summary: 'Get a user',
      query: scimQueries.one,
      body: noBody,
      responses: { ...ok, ...unchanged, ...common, ...unknown },
      async handle({ caller, headers, query, parameters: { id = '' } }) {
        const user = await provisioning.user(caller, id);
        if (isUnchanged(headers, user)) return { status: 304 };
        return resourceAnswer(userResource(user, baseOf(parts, caller)), user, projectionIn(query));
      },
    }),
    ...(['PUT', 'PATCH'] as const).map((method) =>
      defineRoute({
        ...one,
        method,
        audit: 'scim.user_changed',
        summary: method === 'PUT' ? 'Replace a user' : 'Change a user',
        query: scimQueries.one,
        responses: { ...ok, ...common, ...unknown, ...conflict, ...outdated },
        async handle({ caller, body, headers, query, parameters: { id = '' } }) {
          const isWhole = method === 'PUT';
          const changes = isWhole ? attributesOf(body) : operationsOf(body);
          const target = { id, ifVersion: versionIn(headers) };
          const user = await provisioning.changeUser(caller, target, { changes, isWhole });
          const resource = userResource(user, baseOf(parts, caller));
          return {
            ...resourceAnswer(resource, user, projectionIn(query)),
            audit: { scimUser: id, after: factsOf(user) },
          };
        },
      }),
    ),
    defineRoute({
      ...one,
      method: 'DELETE',
      audit: 'scim.user_deleted',
      summary: 'Delete a user, who is no member any more',
      body: noBody,
      responses: { ...done, ...common, ...unknown, ...conflict, ...outdated },
      async handle({ caller, headers, parameters: { id = '' } }) {
        const user = await provisioning.removeUser(caller, { id, ifVersion: versionIn(headers) });
        return { status: 204, audit: { scimUser: id, before: factsOf(user) } };
      },
    }),
  ];
}

function factsOf({ userName, email, isActive }: ScimUser) {
  return { user_name: userName, email, active: isActive };
}
