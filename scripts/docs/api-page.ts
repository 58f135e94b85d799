import type { JsonObject } from '../../src/lib/json.ts';
import { listOf, objectOf, openapiPaths } from './openapi-paths.ts';

/** The tags of the routes, in the order of the page. */
const chapters: Readonly<Record<string, string>> = {
  Inference: 'Calls to models',
  Usage: 'Usage and the request log',
  Accounts: 'Accounts',
  Organizations: 'Organizations',
  Projects: 'Projects',
  'Single sign-on': 'Single sign-on',
  SCIM: 'Provisioning with SCIM',
  'Service accounts': 'Service accounts',
  'Tokens of issuers': 'Tokens of issuers',
  Keys: 'API keys',
  'Provider keys': 'Provider keys',
  Providers: 'Providers of an account',
  Batches: 'Batches in the dashboard',
  Configurations: 'Configurations of modules',
  Aliases: 'Aliases',
  Prompts: 'Prompts',
  Guardrails: 'Guardrails',
  Billing: 'Billing',
  Payments: 'Machine payments',
  Sandbox: 'Sandbox',
  Receipts: 'Receipts',
  Recordings: 'Recordings',
  Webhooks: 'Webhooks',
  MCP: 'MCP',
  'MCP servers': 'MCP servers',
  Patterns: 'Patterns',
  Archive: 'Archive',
  Information: 'Information',
  Operations: 'Operations',
};

const introduction = `# API

Every route of a gateway, with its parameters, bodies and responses. A running gateway describes itself at \`GET /openapi.json\`;
\`npm run docs\` writes this page from that description.

- Weir’s own routes reject unknown fields and query parameters with 400. Routes of the wire formats pass them on.
- All errors have [one form](errors.md#the-body-of-an-error), and a [code](errors.md) with its cause and remedy.
- [Headers](headers.md) lists the request and response headers that all calls share.
- Ids in a path stand in braces: \`{id}\`. In a table, \`a.b\` is the field \`b\` of the object \`a\`, and \`a[].b\` that of each element of the list \`a\`.`;

const credentials: Readonly<Record<string, string>> = {
  bearer: 'an API key (in local mode the local token, if one is set)',
  apiKey: 'an API key',
  session: 'a session token',
  sessionCookie: 'the session cookie of a browser',
  anonToken: 'the token of an anonymous session',
  payment: 'a payment',
};

type Mode = 'both' | 'local' | 'cloud';

/** Routes that differ in their path only. */
interface Operation {
  readonly method: string;
  readonly paths: readonly string[];
  readonly mode: Mode;
  readonly description: JsonObject;
}

/** The text of docs/reference/api.md. */
export async function apiPage(): Promise<string> {
  const operations = mergeAliases(operationsOf(await openapiPaths('local'), await openapiPaths('cloud')));
  const unknown = operations.filter(({ description }) => chapters[tagOf(description)] === undefined);
  if (unknown.length > 0) throw new Error(`no chapter for ${unknown.map(titleOf).join(', ')}`);
  const sections = Object.entries(chapters).map(([tag, title]) =>
    [`## ${title}`, ...operations.filter(({ description }) => tagOf(description) === tag).map(section)].join(
      '\n\n',
    ),
  );
  return `${[introduction, ...sections].join('\n\n')}\n`;
}

function operationsOf(local: JsonObject, cloud: JsonObject): readonly Operation[] {
  const all: Operation[] = [];
  for (const path of new Set([...Object.keys(cloud), ...Object.keys(local)])) {
    const inCloud = objectOf(cloud[path]);
    const inLocal = objectOf(local[path]);
    for (const method of new Set([...Object.keys(inCloud), ...Object.keys(inLocal)])) {
      const isInCloud = inCloud[method] !== undefined;
      const mode = isInCloud && inLocal[method] !== undefined ? 'both' : isInCloud ? 'cloud' : 'local';
      all.push({ method, paths: [path], mode, description: objectOf(inCloud[method] ?? inLocal[method]) });
    }
  }
  return all;
}

/** Joins routes that are the same under several paths, such as those of Gemini's format. */
function mergeAliases(operations: readonly Operation[]): readonly Operation[] {
  const merged = new Map<string, Operation>();
  for (const operation of operations) {
    const { operationId, ...description } = operation.description;
    const key = JSON.stringify([operation.method, operation.mode, description]);
    const paths = [...(merged.get(key)?.paths ?? []), ...operation.paths];
    merged.set(key, { ...operation, paths });
  }
  return [...merged.values()];
}

function section(operation: Operation): string {
  const { paths, mode, description } = operation;
  const parameters = listOf(description.parameters).map(objectOf);
  return [
    `### ${titleOf(operation)}`,
    `${sentence(description.summary)} ${sentence(description.description)}`.trim(),
    [
      ...(paths.length > 1 ? [`- Also at: ${paths.slice(1).map(code).join(', ')}`] : []),
      ...(mode === 'both' ? [] : [`- In ${mode} mode only`]),
      `- Credential: ${credentialsOf(description.security)}`,
      ...rightLine(description['x-required-right'], description['x-project']),
    ].join('\n'),
    ...parameterTable(parameters),
    ...requestBody(objectOf(description.requestBody)),
    ...responses(objectOf(description.responses)),
  ].join('\n\n');
}

function titleOf({ method, paths }: Operation): string {
  return `${method.toUpperCase()} ${paths[0] ?? ''}`;
}

function tagOf(description: JsonObject): string {
  return String(listOf(description.tags)[0]);
}

function credentialsOf(security: unknown): string {
  const names = listOf(security).map((one) => Object.keys(objectOf(one))[0]);
  if (names.length === 0) return 'none';
  return names.map((name) => (name === undefined ? 'none' : credentials[name])).join(', or ');
}

function rightLine(right: unknown, project: unknown): readonly string[] {
  const inProject = project === undefined ? '' : ', also [in a project](roles.md#in-projects)';
  return typeof right === 'string' ? [`- [Right](roles.md): \`${right}\`${inProject}`] : [];
}

function parameterTable(parameters: readonly JsonObject[]): readonly string[] {
  if (parameters.length === 0) return [];
  const rows = parameters.map((parameter) => {
    const schema = objectOf(parameter.schema);
    const meaning = parameter.description ?? schema.description;
    return row([code(parameter.name), String(parameter.in), typeOf(schema), text(meaning)]);
  });
  return [table(['parameter', 'in', 'type', 'meaning'], rows)];
}

function requestBody({ required, content }: JsonObject): readonly string[] {
  if (content === undefined) return [];
  return [
    `**Request body**${required === true ? '' : ', optional'}:`,
    ...contentOf(objectOf(content), 'The request may have further fields.'),
  ];
}

function responses(all: JsonObject): readonly string[] {
  const entries = Object.entries(all).map(([status, response]) => ({ status, response: objectOf(response) }));
  const [errors, others] = [true, false].map((isError) =>
    entries.filter(({ response }) => isErrorResponse(response) === isError),
  );
  return [...(others ?? []).flatMap(success), ...errorTable(errors ?? [])];
}

interface Response {
  readonly status: string;
  readonly response: JsonObject;
}

function isErrorResponse({ content }: JsonObject): boolean {
  const { schema } = objectOf(objectOf(content)['application/json']);
  return objectOf(schema).$ref !== undefined;
}

function success({ status, response }: Response): readonly string[] {
  const headers = Object.entries(objectOf(response.headers)).map(
    ([name, header]) => `- Header ${code(name)}: ${text(objectOf(header).description)}`,
  );
  return [
    `**Response ${status}**: ${sentence(response.description)}`,
    ...(headers.length > 0 ? [headers.join('\n')] : []),
    ...contentOf(objectOf(response.content), 'The response may have further fields.'),
  ];
}

function errorTable(errors: readonly Response[]): readonly string[] {
  if (errors.length === 0) return [];
  const rows = errors.map(({ status, response }) =>
    row([status === 'default' ? 'any' : status, text(response.description)]),
  );
  return ['**Errors**:', table(['status', 'when'], rows)];
}

/** The fields of a body, or its media type where it is not JSON. */
function contentOf(content: JsonObject, open: string): readonly string[] {
  const [type] = Object.keys(content);
  if (type === undefined) return [];
  const { schema } = objectOf(content[type]);
  if (type !== 'application/json' && schema === undefined) return [`The body is ${code(type)}.`];
  const rows = fieldsOf(objectOf(schema), '');
  if (rows.length === 0) return [];
  const isOpen = objectOf(schema).additionalProperties === true;
  return [table(['field', 'type', 'meaning'], rows), ...(isOpen ? [open] : [])];
}

/** A row for each field, with those of nested objects below it. */
function fieldsOf(schema: JsonObject, prefix: string): readonly string[] {
  const required = new Set(listOf(schema.required));
  const own = Object.entries(objectOf(schema.properties)).flatMap(([name, value]) => {
    const field = objectOf(value);
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const optional = required.has(name) ? '' : ', optional';
    return [
      row([code(path), `${typeOf(field)}${optional}`, text(field.description)]),
      ...nestedFields(field, path),
    ];
  });
  return own.length > 0 ? own : prefix === '' ? nestedFields(schema, '') : [];
}

function nestedFields(schema: JsonObject, path: string): readonly string[] {
  const variants = [...listOf(schema.anyOf), ...listOf(schema.oneOf)].map(objectOf);
  return [
    ...(schema.properties === undefined || path === '' ? [] : fieldsOf(schema, path)),
    ...(schema.items === undefined ? [] : nestedFields(objectOf(schema.items), `${path}[]`)),
    ...variants.flatMap((variant) => (path === '' ? fieldsOf(variant, '') : nestedFields(variant, path))),
  ];
}

function typeOf(schema: JsonObject): string {
  const { type, const: only, enum: values, items, format } = schema;
  const variants = [...listOf(schema.anyOf), ...listOf(schema.oneOf)].map(objectOf);
  if (only !== undefined) return code(JSON.stringify(only));
  if (Array.isArray(values)) return values.map((value) => code(JSON.stringify(value))).join(', ');
  if (variants.length > 0) return [...new Set(variants.map(typeOf))].join(' or ');
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(' or ');
  if (type === 'array') {
    const element = items === undefined ? '' : ` of ${typeOf(objectOf(items))}`;
    return `list${element}${range(schema.minItems, schema.maxItems, 'elements')}`;
  }
  if (type === 'string')
    return `${formats[String(format)] ?? 'string'}${range(schema.minLength, schema.maxLength, 'characters')}`;
  if (type === 'integer' || type === 'number')
    return `${type}${range(minimumOf(schema), maximumOf(schema), '')}`;
  return type === undefined ? 'any' : String(type);
}

const formats: Readonly<Record<string, string>> = {
  uuid: 'UUID',
  date: 'date',
  'date-time': 'time',
  email: 'email address',
  uri: 'URL',
};

/** Limits of safe integers say nothing about a field. */
function minimumOf({ minimum, exclusiveMinimum }: JsonObject): unknown {
  return minimum === Number.MIN_SAFE_INTEGER ? undefined : (minimum ?? exclusiveMinimum);
}

function maximumOf({ maximum }: JsonObject): unknown {
  return maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
}

function range(least: unknown, most: unknown, unit: string): string {
  const [from, to] = [numberOf(least), numberOf(most)];
  const suffix = unit === '' ? '' : ` ${unit}`;
  if (to !== undefined)
    return from === undefined || (from === 0 && unit !== '')
      ? `, up to ${to}${suffix}`
      : `, ${from} to ${to}${suffix}`;
  return from === undefined || (from <= 1 && unit !== '') ? '' : `, ${from}${suffix} or more`;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function table(head: readonly string[], rows: readonly string[]): string {
  return [row(head), `|${head.map(() => '---|').join('')}`, ...rows].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}

function code(value: unknown): string {
  return `\`${String(value)}\``;
}

function text(value: unknown): string {
  return value === undefined ? '' : String(value);
}

function sentence(value: unknown): string {
  const words = text(value);
  return words === '' || /[.!?]$/.test(words) ? words : `${words}.`;
}
