import type { JsonObject } from '../../lib/json.ts';
import type { ApiTool } from './api-tool.ts';
import { CallFault } from './call-fault.ts';
import { encodePathParameter, encodeQueryParameter, encodeText } from './encode-parameter.ts';
import { limits } from './limits.ts';

/** The address of a request. Throws if arguments lead out of the path of the operation. */
export function requestAddress(tool: ApiTool, input: JsonObject, secrets: ReadonlyMap<string, string>): URL {
  const { baseUrl } = tool;
  const path = `${baseUrl.pathname.replace(/\/$/, '')}${pathOf(tool, input)}`;
  const query = queryOf(tool, input, secrets);
  const url = URL.parse(`${baseUrl.origin}${path}${query === '' ? '' : `?${query}`}`);
  // The parser resolves what servers may resolve, such as `..`: nothing of it may be in the path.
  if (url === null || url.origin !== baseUrl.origin || url.pathname !== path)
    throw new CallFault('the arguments do not fit into the path of the operation');
  if (url.href.length > limits.urlCharactersMax)
    throw new CallFault(`the arguments make an address of more than ${limits.urlCharactersMax} characters`);
  return url;
}

function pathOf({ path, parameters }: ApiTool, input: JsonObject): string {
  let text = '';
  for (const { fixed, parameter: name } of pathParts(path)) {
    text += encodeFixed(fixed);
    if (name === undefined) continue;
    for (const [argument, parameter] of parameters) {
      if (parameter.place !== 'path' || parameter.name !== name) continue;
      checkPathValue(argument, input[argument]);
      text += encodePathParameter(input[argument], parameter);
    }
  }
  return text;
}

interface PathPart {
  /** The text before the parameter. */
  readonly fixed: string;
  /** Undefined at the end. */
  readonly parameter: string | undefined;
}

/** The parts of a path such as `/pets/{petId}/photo`. */
export function pathParts(path: string): readonly PathPart[] {
  const parts: PathPart[] = [];
  let from = 0;
  for (let open = path.indexOf('{'); open >= 0; open = path.indexOf('{', from)) {
    const close = path.indexOf('}', open);
    if (close < 0) break;
    parts.push({ fixed: path.slice(from, open), parameter: path.slice(open + 1, close) });
    from = close + 1;
  }
  return [...parts, { fixed: path.slice(from), parameter: undefined }];
}

/** As the address parser writes it. */
function encodeFixed(text: string): string {
  return encodeURI(text).replaceAll('%25', '%');
}

/**
 * Servers and proxies may decode a value and resolve `..` in it, also when it was encoded twice: the request would reach another path
 * than the one that was allowed.
 */
function checkPathValue(argument: string, value: unknown): void {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
  if (text === '') throw new CallFault(`"${argument}" must not be empty, since it is a part of the path`);
  let decoded = text;
  for (let times = 0; times < decodingsMax; times++) {
    const isRisky =
      hasControlCharacter(decoded) || decoded.split(/[/\\]/).some((part) => part === '.' || part === '..');
    if (isRisky)
      throw new CallFault(
        `"${argument}" must not contain "." or ".." as a part of the path, nor control characters`,
      );
    decoded = decodeOnce(decoded);
  }
}

const decodingsMax = 4;

/** Each escape by itself, since others may be invalid. */
function decodeOnce(text: string): string {
  return text.replace(/%[0-7][0-9a-f]/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}

export function hasControlCharacter(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 32 || code === 127) return true;
  }
  return false;
}

/** Secrets come last, and no argument can take their names. */
function queryOf({ parameters }: ApiTool, input: JsonObject, secrets: ReadonlyMap<string, string>): string {
  const taken = new Set([...secrets.keys()].map(encodeText));
  const pairs: (readonly [string, string])[] = [];
  for (const [argument, parameter] of parameters) {
    const value = input[argument];
    if (parameter.place !== 'query' || value === undefined || value === null) continue;
    pairs.push(...encodeQueryParameter(value, parameter).filter(([name]) => !taken.has(name)));
  }
  for (const [name, secret] of secrets) pairs.push([encodeText(name), encodeText(secret)]);
  return pairs.map(([name, value]) => `${name}=${value}`).join('&');
}
