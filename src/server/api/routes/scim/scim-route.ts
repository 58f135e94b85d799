import { z } from 'zod';
import { limits } from '../../../../accounts/limits.ts';
import { parseFilter } from '../../../../accounts/scim/filter.ts';
import type { Provisioning } from '../../../../accounts/scim/provisioning.ts';
import {
  listSchema,
  type Projection,
  project,
  projectionOf,
  versionOf,
} from '../../../../accounts/scim/resources.ts';
import type { ScimClient, ScimTokens } from '../../../../accounts/scim/scim-tokens.ts';
import { bearerTokenOf } from '../../../../calls/bearer-token.ts';
import type { ScimQuery, ScimUser } from '../../../../kernel/ports/scim.ts';
import { type HeaderList, headerOf } from '../../../../lib/headers.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import type { AccessRule } from '../../define-route.ts';
import { jsonObjectBody } from '../../json-body.ts';
import type { ApiResponse, ErrorFormat } from '../../route.ts';
import { parseQuery } from '../../validation.ts';

export interface ScimRouteParts {
  readonly provisioning: Provisioning;
  readonly tokens: Pick<ScimTokens, 'verify'>;
  readonly address: { readonly url: string };
}

const scimType = 'application/scim+json';

const projectionQuery = {
  attributes: z.string().max(limits.scimFilterCharactersMax).optional().describe('Only these, with commas'),
  excludedAttributes: z.string().max(limits.scimFilterCharactersMax).optional().describe('All but these'),
};
const listQuery = {
  ...projectionQuery,
  filter: z.string().optional().describe('Such as `userName eq "ann@acme.example"`'),
  startIndex: z.string().optional().describe('The first of the page, from 1'),
  count: z.string().optional().describe(`At most ${limits.scimPageMax}`),
};
export const scimQueries = { one: projectionQuery, list: listQuery };

const resourceSchema = z.looseObject({ schemas: z.array(z.string()) });

export const scimResponses = {
  ok: { 200: { description: 'The resource', schema: resourceSchema, contentType: scimType } },
  made: { 201: { description: 'The new resource', schema: resourceSchema, contentType: scimType } },
  done: { 204: { description: 'Done' } },
  unchanged: { 304: { description: 'It still has the version of `If-None-Match`' } },
  common: {
    400: { description: 'The request is invalid; `scimType` says how', contentType: scimType },
    401: { description: 'Missing or invalid token', contentType: scimType },
  },
  unknown: { 404: { description: 'There is no such resource', contentType: scimType } },
  conflict: {
    409: { description: 'Another has this name, or the last owner would go', contentType: scimType },
  },
  outdated: { 412: { description: 'It has another version than `If-Match` says', contentType: scimType } },
} as const;

/** Errors of RFC 7644, 3.12. */
const errorFormat: ErrorFormat = {
  contentType: scimType,
  errorType: () => 'scim',
  errorBody: (_, { message, status, details }) => ({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(details.detail !== undefined && { scimType: details.detail }),
    detail: message,
  }),
};

/** What the routes of an organization's identity provider have in common. */
export function scimRouteOf({ tokens }: Pick<ScimRouteParts, 'tokens'>) {
  const access: AccessRule<ScimClient> = {
    name: 'scimToken',
    check: ({ headers, parameters }) => tokens.verify(bearerTokenOf(headers), parameters.organization ?? ''),
    describe: ({ accountId, tokenId }) => ({ account: accountId, actor: `scim:${tokenId}` }),
  };
  return {
    access,
    tag: 'SCIM',
    body: jsonObjectBody,
    bodyBytesMax: limits.scimBodyBytesMax,
    hasForeignQuery: true,
    errorFormat: () => errorFormat,
  } as const;
}

export const scimPath = '/scim/v2/:organization';

/** The address of the resources of an organization. */
export function baseOf({ address }: Pick<ScimRouteParts, 'address'>, { accountId }: ScimClient): string {
  return `${address.url}/scim/v2/${accountId}`;
}

export function projectionIn(query: string): Projection {
  const { attributes, excludedAttributes } = parseQuery(projectionQuery, query);
  return projectionOf(attributes, excludedAttributes);
}

/** The page that is asked for; what is no number counts as left out. */
export function pageIn(query: string): ScimQuery & { readonly projection: Projection } {
  const { filter, startIndex, count, attributes, excludedAttributes } = parseQuery(listQuery, query);
  const first = Math.max(integerOf(startIndex) ?? 1, 1);
  return {
    filter: filter === undefined || filter.trim() === '' ? undefined : parseFilter(filter),
    offset: Math.min(first - 1, Number.MAX_SAFE_INTEGER),
    limit: Math.min(Math.max(integerOf(count) ?? limits.scimPageMax, 0), limits.scimPageMax),
    projection: projectionOf(attributes, excludedAttributes),
  };
}

function integerOf(text: string | undefined): number | undefined {
  return text !== undefined && /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
}

export function listAnswer(
  resources: readonly JsonObject[],
  { total, offset }: { readonly total: number; readonly offset: number },
): ApiResponse {
  return scimAnswer({
    schemas: [listSchema],
    totalResults: total,
    startIndex: offset + 1,
    itemsPerPage: resources.length,
    Resources: resources,
  });
}

export function scimAnswer(body: object): ApiResponse {
  return { body, contentType: scimType };
}

/** A resource with its version as entity tag. */
export function resourceAnswer(
  resource: JsonObject,
  stored: Pick<ScimUser, 'updatedAtMs'>,
  projection: Projection,
): ApiResponse {
  return { ...scimAnswer(project(resource, projection)), headers: ['etag', versionOf(stored)] };
}

/** The version of `If-Match`; undefined for any. No resource has the version -1. */
export function versionIn(headers: HeaderList): number | undefined {
  const sent = headerOf(headers, 'if-match')?.trim();
  if (sent === undefined || sent === '*') return undefined;
  return Number(/^(?:W\/)?"(\d{1,15})"$/.exec(sent)?.[1] ?? -1);
}

export function isUnchanged(headers: HeaderList, stored: Pick<ScimUser, 'updatedAtMs'>): boolean {
  return headerOf(headers, 'if-none-match')?.trim() === versionOf(stored);
}
