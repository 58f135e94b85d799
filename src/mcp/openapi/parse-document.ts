import { parseDocument as parseYaml } from 'yaml';
import { GatewayError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { limits } from './limits.ts';

/** Reads an OpenAPI document from JSON or YAML, or checks one that is read already. */
export function parseDocument(source: string | JsonObject): JsonObject {
  const document = typeof source === 'string' ? parseText(source) : source;
  if (!isJsonObject(document)) throw documentError('is not an object');
  checkSize(document);
  checkVersion(document);
  if (!isJsonObject(document.paths)) throw documentError('has no paths');
  return document;
}

export function documentError(fault: string, cause?: unknown): GatewayError {
  return new GatewayError('invalid_request', `the OpenAPI document ${fault}`, { cause });
}

function parseText(text: string): unknown {
  const isJson = text.trimStart().startsWith('{');
  const charactersMax = isJson ? limits.jsonCharactersMax : limits.yamlCharactersMax;
  if (text.length > charactersMax) {
    const advice = isJson ? '' : '; as JSON, it may have more';
    throw documentError(`has more than ${charactersMax} characters${advice}`);
  }
  try {
    return isJson ? JSON.parse(text) : readYaml(text);
  } catch (error) {
    if (GatewayError.is(error)) throw error;
    throw documentError(isJson ? 'is not valid JSON' : 'is not valid YAML', error);
  }
}

function readYaml(text: string): unknown {
  if (isTooDeep(text)) throw documentError('is nested too deeply');
  // The parser's own check of names takes quadratic time.
  const document = parseYaml(text, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
  const [error] = document.errors;
  if (error !== undefined) throw documentError(`is not valid YAML: ${error.message}`);
  return document.toJS({ maxAliasCount: limits.yamlAliasesMax });
}

/** The parser is recursive: counts open brackets and the list marks at the beginning of each line. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let marks = 0;
  for (const letter of text) {
    if (letter === '[' || letter === '{') depth++;
    else if ((letter === ']' || letter === '}') && depth > 0) depth--;
    if (letter === '\n') marks = 0;
    else if (letter === '-' || letter === '?') marks++;
    else if (letter !== ' ') marks = Number.NEGATIVE_INFINITY;
    if (depth > limits.depthMax || marks > limits.depthMax) return true;
  }
  return false;
}

/** Aliases of YAML are counted as often as they are used. */
function checkSize(document: JsonObject): void {
  let values = 0;
  const open: { readonly value: object; readonly depth: number }[] = [{ value: document, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (depth > limits.depthMax) throw documentError(`has more than ${limits.depthMax} levels`);
    for (const inner of Object.values(value)) {
      if (++values > limits.valuesMax) throw documentError(`has more than ${limits.valuesMax} values`);
      if (typeof inner === 'object' && inner !== null) open.push({ value: inner, depth: depth + 1 });
    }
  }
}

function checkVersion({ openapi, swagger }: JsonObject): void {
  if (swagger !== undefined)
    throw documentError('is of version 2.0 (Swagger); convert it to OpenAPI 3, e.g. with swagger2openapi');
  const version = typeof openapi === 'string' ? openapi : '';
  if (!version.startsWith('3.0') && !version.startsWith('3.1'))
    throw documentError('must be of version 3.0 or 3.1 (field "openapi")');
}
