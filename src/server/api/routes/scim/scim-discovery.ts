import { resourceTypes, schemas, serviceProviderConfig } from '../../../../accounts/scim/schemas.ts';
import { GatewayError } from '../../../../kernel/errors.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { defineRoute } from '../../define-route.ts';
import { noBody } from '../../json-body.ts';
import type { ApiRoute } from '../../route.ts';
import {
  baseOf,
  listAnswer,
  type ScimRouteParts,
  scimAnswer,
  scimPath,
  scimResponses,
  scimRouteOf,
} from './scim-route.ts';

/** What identity providers ask before they begin. */
export function scimDiscoveryRoutes(parts: ScimRouteParts): readonly ApiRoute[] {
  const { common, unknown, ok } = scimResponses;
  const shared = { ...scimRouteOf(parts), method: 'GET', body: noBody } as const;
  const listed = (name: string, summary: string, itemsOf: (base: string) => readonly JsonObject[]) => [
    defineRoute({
      ...shared,
      path: `${scimPath}/${name}`,
      summary,
      responses: { ...ok, ...common },
      handle({ caller }) {
        const items = itemsOf(baseOf(parts, caller));
        return listAnswer(items, { total: items.length, offset: 0 });
      },
    }),
    defineRoute({
      ...shared,
      path: `${scimPath}/${name}/:id`,
      summary: `${summary}: one of them`,
      responses: { ...ok, ...common, ...unknown },
      handle({ caller, parameters }) {
        const item = itemsOf(baseOf(parts, caller)).find(({ id }) => id === parameters.id);
        if (item !== undefined) return scimAnswer(item);
        throw new GatewayError('not_found', `there is none of this id; GET ${scimPath}/${name} lists them`);
      },
    }),
  ];
  return [
    defineRoute({
      ...shared,
      path: `${scimPath}/ServiceProviderConfig`,
      summary: 'Get what this gateway can do',
      responses: { ...ok, ...common },
      handle: ({ caller }) => scimAnswer(serviceProviderConfig(baseOf(parts, caller))),
    }),
    ...listed('ResourceTypes', 'List the types of resources', resourceTypes),
    ...listed('Schemas', 'List the attributes of users and groups', schemas),
  ];
}
