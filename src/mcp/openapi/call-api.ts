import { EgressError } from '../../egress/egress-error.ts';
import type { EgressFetch } from '../../kernel/ports/fetch.ts';
import type { McpCompleteResult } from '../../kernel/ports/mcp.ts';
import type { JsonObject } from '../../lib/json.ts';
import { type ApiTool, isSafeMethod } from './api-tool.ts';
import { CallFault } from './call-fault.ts';
import { findFaults } from './check-arguments.ts';
import type { PlacedSecrets } from './credentials.ts';
import { encodeBody } from './encode-body.ts';
import { encodeHeaderParameter, encodeQueryParameter, encodeText } from './encode-parameter.ts';
import { hasControlCharacter, requestAddress } from './request-address.ts';
import { errorResult, resultOf } from './response-result.ts';

export interface ApiCall {
  readonly tool: ApiTool;
  readonly input: JsonObject;
  readonly secrets: PlacedSecrets;
  readonly fetch: EgressFetch;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Makes the request of a tool. What the model can correct is a result with `isError`; only an abort rejects. */
export async function callApi(call: ApiCall): Promise<McpCompleteResult> {
  const { tool, signal } = call;
  try {
    const faults = findFaults(call.input, tool.definition.inputSchema);
    if (faults.length > 0) throw new CallFault(`the arguments are wrong: ${faults.join('; ')}`);
    const response = await send(call);
    return await resultOf(response, tool);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof CallFault || error instanceof EgressError)
      return errorResult(`${tool.method} ${tool.path}: ${error.message}`);
    // The body broke off: undici has errors of its own for that.
    if (error instanceof TypeError)
      return errorResult(`${tool.method} ${tool.path}: the API ended its response early`);
    if (error instanceof DOMException)
      return errorResult(`${tool.method} ${tool.path}: the API did not answer within ${call.timeoutMs} ms`);
    throw error;
  }
}

/** A request that only reads is sent again if there was no response; any other may have had its effect. */
async function send(call: ApiCall): Promise<Response> {
  const { tool, input, secrets, signal } = call;
  const { method, body: argument } = tool;
  const url = requestAddress(tool, input, secrets.query);
  const headers = requestHeaders(call);
  const value = argument === undefined ? undefined : input[argument.argument];
  const encoded =
    argument === undefined || value === undefined ? undefined : encodeBody(value, argument.plan);
  if (encoded?.contentType !== undefined) headers.set('content-type', encoded.contentType);
  const request = () =>
    call.fetch(url, {
      method,
      headers,
      signal,
      timeoutMs: call.timeoutMs,
      // The response is cut, not refused.
      maxBytes: Number.MAX_SAFE_INTEGER,
      // A redirect is shown as a response.
      redirect: 'manual',
      ...(encoded !== undefined && { body: encoded.body }),
    });
  try {
    return await request();
  } catch (error) {
    const isLost = error instanceof EgressError && error.code === 'EGRESS_UNREACHABLE';
    if (!isLost || !isSafeMethod(method)) throw error;
    return await request();
  }
}

function requestHeaders({ tool, input, secrets }: ApiCall): Headers {
  const headers = new Headers({ accept: 'application/json, text/*;q=0.9, */*;q=0.5' });
  const cookies: string[] = [];
  for (const [argument, parameter] of tool.parameters) {
    const value = input[argument];
    if (value === undefined || value === null) continue;
    if (parameter.place === 'header')
      setHeader(headers, { argument, name: parameter.name, value: encodeHeaderParameter(value, parameter) });
    if (parameter.place === 'cookie' && !secrets.cookies.has(parameter.name))
      cookies.push(...encodeQueryParameter(value, parameter).map(([name, text]) => `${name}=${text}`));
  }
  for (const [name, secret] of secrets.cookies) cookies.push(`${encodeText(name)}=${encodeText(secret)}`);
  if (cookies.length > 0) headers.set('cookie', cookies.join('; '));
  // After the arguments: these can't replace a secret.
  for (const [name, secret] of secrets.headers) headers.set(name, secret);
  return headers;
}

interface HeaderArgument {
  readonly argument: string;
  readonly name: string;
  readonly value: string;
}

function setHeader(headers: Headers, { argument, name, value }: HeaderArgument): void {
  if (hasControlCharacter(value))
    throw new CallFault(`"${argument}" must not contain control characters, since it is a header`);
  try {
    headers.set(name, value);
  } catch (cause) {
    throw new CallFault(`"${argument}" must have only Latin letters, since it is a header`, { cause });
  }
}
