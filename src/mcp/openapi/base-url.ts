import { GatewayError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { documentError } from './parse-document.ts';

interface BaseUrlOptions {
  /** The address that the account has chosen. */
  readonly baseUrl?: string | undefined;
  /** Where the document comes from; its relative servers are relative to this. */
  readonly documentUrl?: string | undefined;
  /** Values of the variables of the document's server. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

/** The address that all paths are appended to: the given one, or the first server of the document. */
export function chooseBaseUrl(
  document: JsonObject,
  { baseUrl, documentUrl, variables = {} }: BaseUrlOptions,
): string {
  if (baseUrl !== undefined) return checkedBase(baseUrl, 'baseUrl');
  const [server] = serversIn(document);
  if (server === undefined) throw documentError('names no server: give its address as baseUrl');
  const address = expandServer(server, variables);
  const url = URL.parse(address, documentUrl);
  if (url === null)
    throw documentError(
      `has no complete address of its server ("${address.slice(0, 200)}"): give it as baseUrl`,
    );
  return checkedBase(url.href, 'the server of the document');
}

function checkedBase(address: string, name: string): string {
  const url = URL.parse(address);
  const isPlain =
    url !== null &&
    (url.protocol === 'https:' || url.protocol === 'http:') &&
    `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (!isPlain)
    throw new GatewayError(
      'invalid_request',
      `${name} must be an http or https address without user, query and fragment`,
    );
  return url.href.replace(/\/$/, '');
}

export function serversIn({ servers }: JsonObject): readonly JsonObject[] {
  return Array.isArray(servers) ? servers.filter(isJsonObject) : [];
}

/** The address of a server with its variables replaced. */
export function expandServer(
  { url, variables: declared }: JsonObject,
  values: Readonly<Record<string, string>> = {},
): string {
  const template = typeof url === 'string' ? url : '';
  const known = isJsonObject(declared) ? declared : {};
  let text = '';
  for (const [index, part] of template.split('{').entries()) {
    const end = part.indexOf('}');
    if (index === 0 || end < 0) {
      text += part;
      continue;
    }
    const name = part.slice(0, end);
    text +=
      variableValue(name, Object.hasOwn(known, name) ? known[name] : undefined, values) + part.slice(end + 1);
  }
  return text;
}

function variableValue(name: string, declared: unknown, values: Readonly<Record<string, string>>): string {
  const { default: standard, enum: choices } = isJsonObject(declared) ? declared : {};
  const value = Object.hasOwn(values, name) ? values[name] : standard;
  if (typeof value !== 'string')
    throw documentError(`needs a value for the variable "${name}" of its server`);
  if (Array.isArray(choices) && !choices.includes(value))
    throw documentError(
      `does not allow "${value}" for "${name}" of its server: ${choices.join(', ').slice(0, 300)}`,
    );
  return value;
}
