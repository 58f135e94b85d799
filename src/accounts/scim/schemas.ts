import type { JsonObject } from '../../lib/json.ts';
import { limits } from '../limits.ts';
import { groupSchema, userSchema } from './resources.ts';

type Attribute = Readonly<Record<string, unknown>>;

/** What this gateway can do (RFC 7643, 5). */
export function serviceProviderConfig(base: string): JsonObject {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    documentationUri: `${new URL(base).origin}/docs/guides/provisioning`,
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: limits.scimPageMax },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'SCIM token',
        description: 'A SCIM token of the organization as a bearer token',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  };
}

/** The kinds of resources (RFC 7643, 6). */
export function resourceTypes(base: string): readonly JsonObject[] {
  const type = (name: string, endpoint: string, schema: string) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    ...{ id: name, name, endpoint, schema },
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  });
  return [type('User', '/Users', userSchema), type('Group', '/Groups', groupSchema)];
}

/** The attributes that are stored (RFC 7643, 7). */
export function schemas(base: string): readonly JsonObject[] {
  const schema = (id: string, name: string, attributes: readonly Attribute[]) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    ...{ id, name, attributes },
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  });
  return [
    schema(userSchema, 'User', [
      text('userName', { required: true, uniqueness: 'server' }),
      text('externalId', { caseExact: true }),
      complex('name', [text('formatted'), text('givenName'), text('familyName')]),
      text('displayName'),
      attribute('active', 'boolean'),
      complex('emails', [text('value'), text('type'), attribute('primary', 'boolean')], {
        multiValued: true,
      }),
    ]),
    schema(groupSchema, 'Group', [
      text('displayName', { required: true, uniqueness: 'server' }),
      text('externalId', { caseExact: true }),
      complex(
        'members',
        [
          text('value', { mutability: 'immutable' }),
          text('display', { mutability: 'readOnly' }),
          attribute('$ref', 'reference', { mutability: 'readOnly', referenceTypes: ['User'] }),
          text('type', { mutability: 'readOnly', canonicalValues: ['User'] }),
        ],
        { multiValued: true },
      ),
    ]),
  ];
}

function attribute(name: string, type: string, more: Attribute = {}): Attribute {
  return {
    ...{ name, type, multiValued: false, required: false },
    ...{ mutability: 'readWrite', returned: 'default' },
    ...more,
  };
}

function text(name: string, more: Attribute = {}): Attribute {
  return attribute(name, 'string', { caseExact: false, uniqueness: 'none', ...more });
}

function complex(name: string, subAttributes: readonly Attribute[], more: Attribute = {}): Attribute {
  return attribute(name, 'complex', { subAttributes, ...more });
}
