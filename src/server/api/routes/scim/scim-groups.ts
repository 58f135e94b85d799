import { attributesOf, operationsOf } from '../../../../accounts/scim/operations.ts';
import { groupResource, type Projection, project, shows } from '../../../../accounts/scim/resources.ts';
import type { ScimClient } from '../../../../accounts/scim/scim-tokens.ts';
import type { ScimGroup } from '../../../../kernel/ports/scim.ts';
import type { JsonObject } from '../../../../lib/json.ts';
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

/** The groups of an organization's identity provider, which give roles. */
export function scimGroupRoutes(parts: ScimRouteParts): readonly ApiRoute[] {
  const { provisioning } = parts;
  const { common, unknown, conflict, outdated, ok, made, done, unchanged } = scimResponses;
  const shared = scimRouteOf(parts);
  const all = { ...shared, path: `${scimPath}/Groups` } as const;
  const one = { ...shared, path: `${scimPath}/Groups/:id` } as const;
  /** With members if they are asked for: then only as many groups as fit into an answer. */
  const describe = async (caller: ScimClient, groups: readonly ScimGroup[], projection: Projection) => {
    const base = baseOf(parts, caller);
    if (!shows(projection, 'members')) return groups.map((group) => groupResource(group, undefined, base));
    const members = await provisioning.membersOf(caller, groups);
    return groups
      .filter(({ id }) => members.has(id))
      .map((group) => groupResource(group, members.get(group.id), base));
  };
  const answer = async (caller: ScimClient, group: ScimGroup, projection: Projection) => {
    const [resource]: readonly (JsonObject | undefined)[] = await describe(caller, [group], projection);
    return resourceAnswer(resource ?? {}, group, projection);
  };
  return [
    defineRoute({
      ...all,
      method: 'GET',
      summary: 'List groups, or find some',
      query: scimQueries.list,
      body: noBody,
      responses: { ...ok, ...common },
      async handle({ caller, query }) {
        const { projection, ...page } = pageIn(query);
        const { total, items } = await provisioning.groups(caller, page);
        const resources = await describe(caller, items, projection);
        return listAnswer(
          resources.map((resource) => project(resource, projection)),
          { total, offset: page.offset },
        );
      },
    }),
    defineRoute({
      ...all,
      method: 'POST',
      audit: 'scim.group_created',
      summary: 'Create a group',
      query: scimQueries.one,
      responses: { ...made, ...common, ...conflict },
      async handle({ caller, body, query }) {
        const group = await provisioning.createGroup(caller, attributesOf(body));
        return {
          ...(await answer(caller, group, projectionIn(query))),
          status: 201,
          audit: { scimGroup: group.id, after: factsOf(group) },
        };
      },
    }),
    defineRoute({
      ...one,
      method: 'GET',
      summary: 'Get a group',
      query: scimQueries.one,
      body: noBody,
      responses: { ...ok, ...unchanged, ...common, ...unknown },
      async handle({ caller, headers, query, parameters: { id = '' } }) {
        const group = await provisioning.group(caller, id);
        if (isUnchanged(headers, group)) return { status: 304 };
        return answer(caller, group, projectionIn(query));
      },
    }),
    defineRoute({
      ...one,
      method: 'PUT',
      audit: 'scim.group_changed',
      summary: 'Replace a group with its members',
      query: scimQueries.one,
      responses: { ...ok, ...common, ...unknown, ...conflict, ...outdated },
      async handle({ caller, body, headers, query, parameters: { id = '' } }) {
        const target = { id, ifVersion: versionIn(headers) };
        const change = { changes: attributesOf(body), isWhole: true };
        const group = await provisioning.changeGroup(caller, target, change);
        return {
          ...(await answer(caller, group, projectionIn(query))),
          audit: { scimGroup: id, after: factsOf(group) },
        };
      },
    }),
    defineRoute({
      ...one,
      method: 'PATCH',
      audit: 'scim.group_changed',
      summary: 'Change a group: its name, or who is in it',
      query: scimQueries.one,
      responses: { ...done, ...common, ...unknown, ...conflict, ...outdated },
      async handle({ caller, body, headers, parameters: { id = '' } }) {
        const target = { id, ifVersion: versionIn(headers) };
        const group = await provisioning.changeGroup(caller, target, {
          changes: operationsOf(body),
          isWhole: false,
        });
        // A group may be large: whoever wants its members asks for them.
        return { status: 204, audit: { scimGroup: id, after: factsOf(group) } };
      },
    }),
    defineRoute({
      ...one,
      method: 'DELETE',
      audit: 'scim.group_deleted',
      summary: 'Delete a group, whose roles end',
      body: noBody,
      responses: { ...done, ...common, ...unknown, ...outdated },
      async handle({ caller, headers, parameters: { id = '' } }) {
        const group = await provisioning.removeGroup(caller, { id, ifVersion: versionIn(headers) });
        return { status: 204, audit: { scimGroup: id, before: factsOf(group) } };
      },
    }),
  ];
}

function factsOf({ displayName, externalId }: ScimGroup) {
  return { display_name: displayName, ...(externalId !== null && { external_id: externalId }) };
}
