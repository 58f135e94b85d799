import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { ApiOperationFilter } from '../servers/mcp-server.ts';
import { limits } from './limits.ts';
import { OperationFault } from './operation-fault.ts';
import { filterReason } from './operation-filter.ts';
import { operationsIn } from './operations.ts';
import { promisedSchema } from './output-schema.ts';
import { isJsonType } from './parameters.ts';
import { documentError } from './parse-document.ts';
import { References } from './references.ts';

/**
 * The part of a document that tools are made from, which is what is stored: without examples and extensions, and without components
 * that nothing refers to. Of a large document only the chosen operations.
 */
export function reduceDocument(document: JsonObject, filter: ApiOperationFilter): JsonObject {
  const whole = new Reducer(document).reduce(() => true);
  if (charactersIn(whole) <= limits.storedCharactersMax) return whole;
  const references = new References(document);
  const chosen = new Set(
    operationsIn(references, () => {})
      .filter((operation) => filterReason(operation, filter) === undefined)
      .map(({ method, path }) => `${method} ${path}`),
  );
  const reduced = new Reducer(document).reduce((operation) => chosen.has(operation));
  if (charactersIn(reduced) > limits.storedCharactersMax)
    throw documentError(
      `needs more than ${limits.storedCharactersMax} characters for ${chosen.size} operations: choose fewer with operations.allow, such as "tag:pets" or "GET /users/*"`,
    );
  return reduced;
}

function charactersIn(document: JsonObject): number {
  return JSON.stringify(document).length;
}

class Reducer {
  readonly #document: JsonObject;
  readonly #references: References;
  readonly #components = new Map<string, Map<string, unknown>>();
  readonly #waiting: string[] = [];

  constructor(document: JsonObject) {
    this.#document = document;
    this.#references = new References(document);
  }

  reduce(isChosen: (operation: string) => boolean): JsonObject {
    const { openapi, info, servers, security, paths, components } = this.#document;
    const { title, version, description } = isJsonObject(info) ? info : {};
    const { securitySchemes } = isJsonObject(components) ? components : {};
    const kept = Object.entries(isJsonObject(paths) ? paths : {}).flatMap(([path, item]) => {
      const reduced = this.#reducePath(path, item, isChosen);
      return reduced === undefined ? [] : [[path, reduced] as const];
    });
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) this.#keep(next);
    const names = [...this.#components].map(([kind, values]) => [kind, Object.fromEntries(values)] as const);
    const short =
      typeof description === 'string' ? description.slice(0, limits.instructionsCharactersMax) : undefined;
    return {
      openapi,
      info: { title, version, ...(short !== undefined && { description: short }) },
      ...(servers !== undefined && { servers }),
      ...(security !== undefined && { security }),
      paths: Object.fromEntries(kept),
      components: { ...Object.fromEntries(names), ...(securitySchemes !== undefined && { securitySchemes }) },
    };
  }

  #reducePath(path: string, item: unknown, isChosen: (operation: string) => boolean): JsonObject | undefined {
    if (path.startsWith('x-') || !isJsonObject(item)) return undefined;
    const fields = Object.entries(item).flatMap(([name, value]) => {
      if (pathFields.has(name)) return [[name, this.#strip(value)] as const];
      if (!methods.has(name) || !isJsonObject(value) || !isChosen(`${name.toUpperCase()} ${path}`)) return [];
      return [[name, this.#reduceOperation(value)] as const];
    });
    const hasOperation = fields.some(([name]) => methods.has(name) || name === '$ref');
    return hasOperation ? Object.fromEntries(fields) : undefined;
  }

  #reduceOperation(operation: JsonObject): JsonObject {
    const fields = Object.entries(operation).flatMap(([name, value]) =>
      operationFields.has(name) ? [[name, this.#strip(value)] as const] : [],
    );
    return { ...Object.fromEntries(fields), responses: this.#reduceResponses(operation.responses) };
  }

  /** Tools say what comes back only if a success is one JSON object, by its first levels. */
  #reduceResponses(responses: unknown): JsonObject {
    const successes = Object.entries(isJsonObject(responses) ? responses : {}).filter(([status]) =>
      status.startsWith('2'),
    );
    const reduced = successes.map(([status, response]) => [status, this.#reduceResponse(response)] as const);
    return Object.fromEntries(reduced);
  }

  #reduceResponse(response: unknown): JsonObject {
    try {
      const { content } = this.#references.resolve(response);
      const [json] = isJsonObject(content)
        ? Object.entries(content).filter(([type]) => isJsonType(type))
        : [];
      if (json === undefined || !isJsonObject(json[1])) return {};
      const schema = promisedSchema(json[1].schema, this.#references);
      return schema === undefined ? {} : { content: { 'application/json': { schema } } };
    } catch (error) {
      if (error instanceof OperationFault) return {};
      throw error;
    }
  }

  /** A copy without what no tool needs. `isMap`: its names are chosen by the author, and none is a keyword. */
  #strip(value: unknown, isMap = false): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#strip(item));
    if (!isJsonObject(value)) return value;
    const { $ref: reference } = value;
    if (!isMap && typeof reference === 'string') this.#waiting.push(reference);
    const fields = Object.entries(value).flatMap(([name, inner]) => {
      if (isMap) return [[name, this.#strip(inner)] as const];
      if (needless.has(name) || name.startsWith('x-')) return [];
      return [[name, data.has(name) ? inner : this.#strip(inner, maps.has(name))] as const];
    });
    return Object.fromEntries(fields);
  }

  /** Copies what a reference leads to under its own place. */
  #keep(reference: string): void {
    const [root, components, kind = '', name, ...rest] = reference.split('/');
    if (root !== '#' || components !== 'components' || name === undefined) return;
    const values = this.#components.get(kind) ?? new Map<string, unknown>();
    this.#components.set(kind, values);
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    if (values.has(key)) return;
    const place = rest.length === 0 ? reference : `#/components/${kind}/${name}`;
    try {
      values.set(key, this.#strip(this.#references.at(place)));
    } catch (error) {
      // The operations that need it are left out with this reason.
      if (!(error instanceof OperationFault)) throw error;
    }
  }
}

const pathFields = new Set(['$ref', 'parameters', 'servers']);
const methods = new Set(['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace']);
const operationFields = new Set([
  'operationId',
  'tags',
  'summary',
  'description',
  'deprecated',
  'parameters',
  'requestBody',
  'security',
  'servers',
]);
const needless = new Set([
  'example',
  'examples',
  'externalDocs',
  'xml',
  'discriminator',
  'callbacks',
  'links',
]);
/** Values that are no schemas. */
const data = new Set(['enum', 'default', 'const', 'required']);
const maps = new Set([
  'properties',
  'patternProperties',
  'content',
  'encoding',
  'headers',
  '$defs',
  'definitions',
  'variables',
]);
