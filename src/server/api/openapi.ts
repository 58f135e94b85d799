import { z } from 'zod';
import type { AccessName } from './access.ts';
import type { ApiRoute, BodyDescription, InferenceRoute, ResponseDescription, Route } from './route.ts';
import { plainCookieName, secureCookieName } from './session-cookie.ts';

/** Loose: some errors have more fields, inside `error` or beside it. */
const errorSchema = z.looseObject({
  type: z.literal('error'),
  error: z.looseObject({
    type: z.string(),
    message: z.string(),
    code: z
      .union([z.string(), z.int()])
      .nullable()
      .describe(
        'What went wrong; /docs/reference/errors lists the codes with causes and remedies. The HTTP status instead, where clients of the wire format expect a number',
      ),
    param: z.string().nullable(),
    detail: z.string().optional(),
  }),
  request_id: z.string(),
});

const errorDocs = {
  description: 'Every error code, with its cause and remedy',
  url: '/docs/reference/errors',
};

/** The OpenAPI description, built from the route table. */
export function openapiRoute(routes: readonly Route[]): ApiRoute {
  let text: string | undefined;
  const route: ApiRoute = {
    kind: 'own',
    method: 'GET',
    path: '/openapi.json',
    summary: 'The OpenAPI description of this API',
    tag: 'Information',
    responses: { 200: { description: 'An OpenAPI 3.1 document' } },
    handle() {
      text ??= JSON.stringify(buildOpenapi([...routes, route]));
      return { body: text, contentType: 'application/json; charset=utf-8' };
    },
  };
  return route;
}

function buildOpenapi(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, Operation>> = {};
  const ordered = routes.toSorted((one, other) => Number(hasHeader(one)) - Number(hasHeader(other)));
  for (const route of ordered) {
    if (route.kind !== 'inference' && route.hidden) continue;
    const path = route.path.replaceAll(pathParameter, (_, name) => `{${name || 'rest'}}`);
    const method = route.method.toLowerCase();
    const known = paths[path]?.[method];
    const operation = known === undefined ? describeOperation(route) : withVariant(known, route);
    paths[path] = { ...paths[path], [method]: operation };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Weir',
      version: '1.0.0',
      description: 'A gateway in front of AI model providers that keeps their wire formats.',
    },
    paths,
    components: {
      schemas: { Error: { ...jsonSchemaOf(errorSchema), externalDocs: errorDocs } },
      securitySchemes: {
        bearer: bearerScheme('An API key; in local mode the local token, if one is set'),
        apiKey: bearerScheme('An API key, from POST /v1/keys'),
        session: bearerScheme('A session token, from POST /v1/users/login'),
        sessionCookie: {
          type: 'apiKey',
          in: 'cookie',
          name: plainCookieName,
          description: `The session token of a browser, for requests from pages of this gateway; named ${secureCookieName} on https`,
        },
        operator: bearerScheme('The value of WEIR_ADMIN_TOKEN; in local mode the local token, if one is set'),
        anonToken: bearerScheme('The token of an anonymous session, from POST /v1/anon/sessions'),
        scimToken: bearerScheme('A SCIM token of an organization, from POST /v1/organization/scim/tokens'),
        payment: {
          type: 'http',
          scheme: 'Payment',
          description: 'A payment for one call, in reply to the challenge of a 402 response',
        },
      },
    },
  };
}

function hasHeader(route: Route): boolean {
  return route.kind === 'inference' && route.header !== undefined;
}

/** The same operation, with what a header makes of it. */
function withVariant(operation: Operation, route: Route): Operation {
  if (route.kind !== 'inference' || route.header === undefined) return describeOperation(route);
  const { description = '' } = operation;
  return { ...operation, description: `${description} With the header ${route.header}: ${route.summary}.` };
}

interface Operation {
  readonly description?: string;
  readonly [field: string]: unknown;
}

function bearerScheme(description: string): object {
  return { type: 'http', scheme: 'bearer', description };
}

function describeOperation(route: Route): Operation {
  const { summary, tag } = route;
  const parameters = parametersOf(route);
  const shared = {
    operationId: operationIdOf(route),
    summary,
    tags: [tag],
    ...(parameters.length > 0 && { parameters }),
    ...(route.kind !== 'inference' && route.right !== undefined && { 'x-required-right': route.right }),
    ...(route.kind === 'own' && route.project !== undefined && { 'x-project': route.project }),
    ...(route.kind === 'own' && route.audit !== undefined && { 'x-audit-event': route.audit }),
  };
  if (route.kind === 'own')
    return {
      ...shared,
      ...(route.access !== undefined && { security: securityOf(route.access) }),
      ...(route.body !== undefined && { requestBody: requestBodyOf(route.body) }),
      responses: describeResponses(route.responses),
    };
  if (route.kind === 'websocket')
    return {
      ...shared,
      security: securityOf(route.access),
      responses: describeResponses({
        101: { description: 'The connection is a WebSocket' },
        426: { description: 'The request does not ask for a WebSocket' },
      }),
    };
  return {
    ...shared,
    description: `Requests and responses have the ${route.wire.name} format; unknown fields and headers are passed through.`,
    security: route.payment === undefined ? [{ bearer: [] }, {}] : [{}, { payment: [] }],
    ...(route.payment !== undefined && { 'x-payment-info': route.payment }),
    ...(route.relayBody !== 'none' && { requestBody: inferenceBodyOf(route) }),
    responses: {
      ...describeResponses(
        route.responses ?? {
          200: { description: "The provider's response; server-sent events if the call is streamed" },
        },
      ),
      default: errorResponse('An error, in the form of the wire format'),
    },
  };
}

function inferenceBodyOf({ body, relayBody = 'json', wire }: InferenceRoute): object {
  if (body !== undefined) return requestBodyOf(body);
  const type = relayContentTypes[relayBody];
  return { required: true, content: { [type]: relayBody === 'json' ? { schema: wire.bodySchema } : {} } };
}

const relayContentTypes = {
  json: 'application/json',
  form: 'multipart/form-data',
  bytes: 'application/octet-stream',
  none: '',
} as const;

/** `PATCH /v1/keys/:id` is `patchKeysById`. */
function operationIdOf({ method, path }: Route): string {
  const words = path
    .replace(/^\/v1\//, '/')
    .replaceAll(pathParameter, (_, name) => `/by/${name || 'rest'}`)
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  const parts = words.length === 0 ? ['root'] : words;
  return method.toLowerCase() + parts.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** The schemes are alternatives. */
function securityOf(access: AccessName): readonly object[] {
  switch (access) {
    case 'public':
      return [];
    case 'session':
      return [{ session: [] }, { sessionCookie: [] }];
    case 'key':
      return [{ apiKey: [] }];
    case 'scimToken':
      return [{ scimToken: [] }];
    case 'anonToken':
      return [{ anonToken: [] }];
    case 'operator':
      return [{ operator: [] }];
    case 'sessionOrKey':
      return [{ session: [] }, { sessionCookie: [] }, { apiKey: [] }];
  }
}

function requestBodyOf({ schema, required, contentType = 'application/json' }: BodyDescription): object {
  return { required, content: { [contentType]: schema && { schema: jsonSchemaOf(schema, 'input') } } };
}

/** `:name`, `*name` or `*`; a colon counts only after a slash. */
const pathParameter = /(?:(?<=\/):|\*)(\w*)/g;

function parametersOf(route: Route): readonly object[] {
  const schema = { type: 'string' };
  const inPath = [...route.path.matchAll(pathParameter)].map(([, name]) => ({
    name: name || 'rest',
    in: 'path',
    required: true,
    ...(name === '' && { description: 'The rest of the path, which ends with the model' }),
    schema,
  }));
  const query = route.kind === 'own' ? Object.entries(route.query ?? {}) : [];
  const inQuery = query.map(([name, described]) =>
    typeof described === 'string'
      ? { name, in: 'query', description: described, schema }
      : { name, in: 'query', schema: jsonSchemaOf(described, 'input') },
  );
  return [...inPath, ...inQuery];
}

function describeResponses(answers: Readonly<Record<number, ResponseDescription>>): Record<string, object> {
  const entries = Object.entries(answers).map(([status, answer]) => {
    if (Number(status) >= 400 && answer.schema === undefined && answer.contentType === undefined)
      return [status, errorResponse(answer.description)];
    const { description, contentType = 'application/json', headers = {} } = answer;
    const schema = answer.schema === undefined ? {} : { schema: jsonSchemaOf(answer.schema) };
    const described = Object.entries(headers).map(([name, headerDescription]) => [
      name,
      { description: headerDescription, schema: { type: 'string' } },
    ]);
    return [
      status,
      {
        description,
        ...(described.length > 0 && { headers: Object.fromEntries(described) }),
        ...(status !== '204' && status !== '101' && { content: { [contentType]: schema } }),
      },
    ];
  });
  return Object.fromEntries(entries);
}

function errorResponse(description: string): object {
  return { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } };
}

function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output' = 'output'): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}
