import { type HeaderList, headerOf, headerValuesOf } from '../../lib/headers.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { argumentText, headerArguments, headerText, inputOf, isSameArgument } from './header-values.ts';
import { type Message, metaOf, type RequestMessage } from './json-rpc.ts';
import { codes, ProtocolError } from './protocol-error.ts';

export const modernVersion = '2026-07-28';
export const sessionVersions: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26'];

const namespace = 'io.modelcontextprotocol/';
export const metaKeys = {
  version: `${namespace}protocolVersion`,
  capabilities: `${namespace}clientCapabilities`,
  logLevel: `${namespace}logLevel`,
  server: `${namespace}serverInfo`,
  subscription: `${namespace}subscriptionId`,
} as const;

/** Whether a message is one of revision 2026-07-28, or means to be: those before have sessions. */
export function isModern(message: Message, headers: HeaderList): boolean {
  if (message.kind === 'response') return false;
  const claimed = metaOf(message.params)[metaKeys.version];
  if (claimed !== undefined) return message.method !== 'initialize' || claimed === modernVersion;
  const version = headerOf(headers, 'mcp-protocol-version');
  return version !== undefined && message.method !== 'initialize' && version >= modernVersion;
}

/**
 * Checks the headers of a request against its body: what balancers and gateways decide by must be what servers do. Returns what the client
 * can do.
 */
export function checkModernRequest({ method, params }: RequestMessage, headers: HeaderList): JsonObject {
  const meta = metaOf(params);
  const claimed = meta[metaKeys.version];
  const capabilities = meta[metaKeys.capabilities];
  const versionHeader = oneHeader(headers, 'mcp-protocol-version');
  const missing = [
    ...(typeof claimed === 'string' ? [] : [metaKeys.version]),
    ...(isJsonObject(capabilities) ? [] : [metaKeys.capabilities]),
  ];
  if (typeof claimed !== 'string' || !isJsonObject(capabilities))
    throw new ProtocolError(codes.invalidParams, `params._meta lacks ${missing.join(' and ')}`);
  if (versionHeader !== undefined && versionHeader !== claimed)
    throw mismatch('MCP-Protocol-Version', versionHeader, claimed);
  if (claimed !== modernVersion)
    throw new ProtocolError(
      codes.unsupportedVersion,
      `the protocol version ${claimed.slice(0, 40)} is not supported`,
      {
        data: { supported: [modernVersion], requested: claimed.slice(0, 40) },
      },
    );
  if (versionHeader === undefined) throw mismatch('MCP-Protocol-Version', undefined, claimed);
  const methodHeader = oneHeader(headers, 'mcp-method');
  if (methodHeader !== method) throw mismatch('Mcp-Method', methodHeader, method);
  checkName(method, params, headers);
  return capabilities;
}

/** The field that the header `Mcp-Name` repeats. */
const nameFields: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

function checkName(method: string, params: JsonObject, headers: HeaderList): void {
  const field = Object.hasOwn(nameFields, method) ? nameFields[method] : undefined;
  const name = field === undefined ? undefined : params[field];
  if (typeof name !== 'string') return;
  const header = oneHeader(headers, 'mcp-name');
  if (header === undefined || headerText(header) !== name) throw mismatch('Mcp-Name', header, name);
}

/** Checks the headers that repeat arguments of a tool. */
export function checkArgumentHeaders(definition: JsonObject, params: JsonObject, headers: HeaderList): void {
  const input = inputOf(params);
  for (const { header, path } of headerArguments(definition.inputSchema)) {
    const argument = argumentText(input, path);
    if (argument === undefined) continue;
    const sent = oneHeader(headers, header);
    const text = sent === undefined ? undefined : headerText(sent);
    if (text === undefined || !isSameArgument(text, argument)) throw mismatch(header, sent, argument);
  }
}

/** Of two headers of a name, a balancer might read the one and this gateway the other. */
function oneHeader(headers: HeaderList, name: string): string | undefined {
  const values = headerValuesOf(headers, name);
  return values.length > 1 ? values.join(', ') : values[0]?.trim();
}

function mismatch(header: string, sent: string | undefined, body: string): ProtocolError {
  const said = sent === undefined ? 'is missing' : `says ${JSON.stringify(sent.slice(0, 200))}`;
  return new ProtocolError(
    codes.headerMismatch,
    `the header ${header} ${said}, and the body says ${JSON.stringify(body.slice(0, 200))}`,
    { data: { mismatch: { header, body: body.slice(0, 200) } } },
  );
}
