import { GatewayError } from '../../kernel/errors.ts';
import type { McpToolAnnotations, McpToolDefinition } from '../../kernel/ports/mcp.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { ApiOperationFilter } from '../servers/mcp-server.ts';
import type { ApiReport, LeftOutOperation } from './api-report.ts';
import { type ApiTool, isSafeMethod } from './api-tool.ts';
import { Credentials, schemesIn } from './credentials.ts';
import { limits } from './limits.ts';
import { ignoredServers, operationBase } from './operation-base.ts';
import { OperationFault } from './operation-fault.ts';
import { filterReason } from './operation-filter.ts';
import { type Operation, operationsIn } from './operations.ts';
import { outputSchemaOf, promisedSchema } from './output-schema.ts';
import { isJsonType, readParameters } from './parameters.ts';
import { References } from './references.ts';
import { pathParts } from './request-address.ts';
import { readBody } from './request-body.ts';
import { describeInput } from './tool-input.ts';
import { nameTools } from './tool-names.ts';

export interface ApiDefinition {
  readonly document: JsonObject;
  readonly baseUrl: string;
  readonly operations: ApiOperationFilter;
}

export interface CompiledApi {
  /** By name, in the order of the document. */
  readonly tools: ReadonlyMap<string, ApiTool>;
  readonly credentials: Credentials;
  readonly report: ApiReport;
}

/** The tools of an API. Operations that can't be tools are left out, with a reason; too many tools are an error. */
export function compileApi({ document, baseUrl, operations: filter }: ApiDefinition): CompiledApi {
  const references = new References(document);
  const credentials = new Credentials(document);
  const leftOut: LeftOutOperation[] = [];
  const leave = ({ method, path }: Operation, reason: string) =>
    leftOut.push({ operation: `${method} ${path}`, reason });
  const chosen = operationsIn(references, leave).filter((operation) => {
    const reason = filterReason(operation, filter);
    if (reason !== undefined) leave(operation, reason);
    return reason === undefined;
  });
  if (chosen.length > limits.toolsMax) throw tooManyTools(chosen);
  const names = nameTools(chosen);
  const compiler = {
    references,
    baseUrl: new URL(baseUrl),
    schemes: credentials.list().map(({ scheme }) => scheme),
  };
  const tools = new Map<string, ApiTool>();
  for (const [index, operation] of chosen.entries()) {
    try {
      const name = names[index] ?? '';
      tools.set(name, compileTool(name, operation, compiler));
    } catch (error) {
      if (!(error instanceof OperationFault)) throw error;
      leave(operation, error.message);
    }
  }
  const info = isJsonObject(document.info) ? document.info : {};
  const report = {
    title: textIn(info.title, 200),
    version: textIn(info.version, 100),
    baseUrl,
    tools: tools.size,
    leftOut: leftOut.slice(0, limits.leftOutMax),
    leftOutCount: leftOut.length,
    ignoredServers: ignoredServers(document, compiler.baseUrl).slice(0, limits.ignoredServersMax),
    credentials: credentials.list(),
  };
  return { tools, credentials, report };
}

interface Compiler {
  readonly references: References;
  readonly baseUrl: URL;
  /** The security schemes of the document. */
  readonly schemes: readonly string[];
}

function compileTool(
  name: string,
  operation: Operation,
  { references, baseUrl, schemes }: Compiler,
): ApiTool {
  const { method, path, described } = operation;
  const parameters = readParameters([operation.shared, described.parameters], references);
  checkPath(
    path,
    new Set(parameters.filter(({ place }) => place === 'path').map((parameter) => parameter.name)),
  );
  // No request that only reads has a body.
  const plan = isSafeMethod(method) ? undefined : readBody(described.requestBody, references);
  const input = describeInput(parameters, plan, references);
  const promised = successSchema(described.responses, references);
  const security = described.security ?? references.document.security;
  const definition: McpToolDefinition = {
    name,
    ...(typeof described.summary === 'string' && { title: textIn(described.summary, 200) }),
    description: describeOperation(operation),
    inputSchema: input.schema,
    ...(promised !== undefined && { outputSchema: outputSchemaOf(promised) }),
    annotations: annotationsFor(method),
  };
  return {
    definition,
    method,
    path,
    baseUrl: operationBase(operation, baseUrl),
    parameters: input.parameters,
    body: input.body,
    schemes: security === undefined ? schemes : schemesIn(security),
    promised,
  };
}

/** Parameters of the path must be described, and the rest must stay as it is in an address. */
function checkPath(path: string, names: ReadonlySet<string>): void {
  const parts = pathParts(path);
  for (const { parameter } of parts)
    if (parameter !== undefined && !names.has(parameter))
      throw new OperationFault(`no parameter describes {${parameter}} of its path`);
  const fixed = parts.map((part) => part.fixed).join('x');
  if (!path.startsWith('/') || !fixed.isWellFormed() || /[?#\\{}]|\/\.{1,2}(?:\/|$)/.test(fixed))
    throw new OperationFault('its path is no valid path of an address');
}

function describeOperation({ method, path, described }: Operation): string {
  const texts = [described.summary, described.description].filter(
    (text, index, all) => typeof text === 'string' && text !== '' && all.indexOf(text) === index,
  );
  return texts.length === 0
    ? `${method} ${path}`
    : textIn(texts.join('\n\n'), limits.descriptionCharactersMax);
}

function annotationsFor(method: string): McpToolAnnotations {
  const readOnlyHint = isSafeMethod(method);
  return {
    readOnlyHint,
    destructiveHint: method === 'DELETE',
    idempotentHint: readOnlyHint || method === 'PUT' || method === 'DELETE',
    openWorldHint: true,
  };
}

/** The schema of the response to a call that succeeds, if it is one JSON object. */
function successSchema(responses: unknown, references: References): JsonObject | undefined {
  const successes = isJsonObject(responses)
    ? Object.entries(responses).filter(([status]) => status.startsWith('2'))
    : [];
  const [first, ...others] = successes;
  if (first === undefined || others.length > 0) return undefined;
  try {
    const { content } = references.resolve(first[1]);
    const [media] = isJsonObject(content) ? Object.entries(content).filter(([type]) => isJsonType(type)) : [];
    return media === undefined || !isJsonObject(media[1])
      ? undefined
      : promisedSchema(media[1].schema, references);
  } catch (error) {
    if (error instanceof OperationFault) return undefined;
    throw error;
  }
}

export function textIn(value: unknown, charactersMax: number): string {
  return typeof value === 'string' ? value.slice(0, charactersMax).toWellFormed() : '';
}

function tooManyTools(operations: readonly Operation[]): GatewayError {
  const tags = new Set(operations.flatMap((operation) => operation.tags));
  const [tag = 'pets'] = tags;
  return new GatewayError(
    'invalid_request',
    `the document has ${operations.length} operations, and a server may have ${limits.toolsMax} tools: choose some with operations.allow, such as "tag:${tag.slice(0, 60)}" or "GET /users/*"`,
  );
}
