import { z } from 'zod';
import type { CallLimiter } from '../../../calls/call-limiter.ts';
import type { CallReceipts } from '../../../calls/call-receipts.ts';
import type { CallerAuthenticator, CallerIdentity } from '../../../calls/caller-authenticator.ts';
import { clientNameOf } from '../../../calls/client-name.ts';
import { operatorPays, scopeOf } from '../../../kernel/caller.ts';
import { endUserRefFromName } from '../../../kernel/end-user.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { Trace } from '../../../kernel/trace.ts';
import { headerOf, joinedHeaderOf } from '../../../lib/headers.ts';
import type { McpCallers } from '../../../mcp/access/mcp-callers.ts';
import type { EndpointAnswer, EndpointRequest, McpEndpoint } from '../../../mcp/front/endpoint.ts';
import { errorText } from '../../../mcp/front/json-rpc.ts';
import { limits } from '../../../mcp/front/limits.ts';
import { codes } from '../../../mcp/front/protocol-error.ts';
import { answerWithReceipt } from '../../../mcp/front/tool-call-receipt.ts';
import { isCrossSite } from '../../request-guard.ts';
import { asGatewayError } from '../../respond.ts';
import type { ApiRequest, ApiResponse, ApiRoute } from '../route.ts';
import { mcpChallenge, mcpPlaces } from './mcp-resource.ts';

export interface McpRouteParts {
  readonly endpoint: McpEndpoint;
  readonly callers: Pick<CallerAuthenticator, 'identifyCurrent'>;
  readonly mcpCallers: Pick<McpCallers, 'ofKey'>;
  readonly limiter: Pick<CallLimiter, 'isLimited' | 'count'>;
  readonly receipts: Pick<CallReceipts, 'openFor'>;
  /** Origins whose pages may use the endpoint. */
  readonly origins: ReadonlySet<string>;
  /** The public address of the gateway. */
  readonly address: { readonly url: string };
}

/** The endpoint for MCP clients. Its errors are those of JSON-RPC. */
export function mcpRoutes(parts: McpRouteParts): readonly ApiRoute[] {
  return mcpPlaces.flatMap(({ path, whom }) => {
    const shared = { kind: 'own', tag: 'MCP', path } as const;
    return [
      {
        ...shared,
        method: 'POST',
        audit: 'none',
        summary: `Send a message to ${whom}`,
        body: { schema: message, required: true },
        bodyBytesMax: limits.bodyBytesMax,
        responses: {
          200: { description: 'The response, as JSON or as a stream of events' },
          202: { description: 'The notification or the response was taken' },
          ...errors,
        },
        handle: (request) =>
          answerTo(parts, request, async (call, identity) => {
            const bytes = await request.readBody();
            const { receipts, endpoint } = parts;
            const receipted = { receipts, identity, request: call, bytes };
            return answerWithReceipt(receipted, (watched) => endpoint.post(watched, bytes));
          }),
      },
      {
        ...shared,
        method: 'GET',
        summary: `Follow the changes of ${whom}, for clients with a session`,
        responses: {
          200: { description: 'A stream of events', contentType: 'text/event-stream' },
          ...errors,
        },
        handle: (request) => answerTo(parts, request, (call) => parts.endpoint.get(call)),
      },
      {
        ...shared,
        method: 'DELETE',
        audit: 'none',
        summary: `End a session with ${whom}`,
        responses: { 204: { description: 'The session has ended' }, ...errors },
        handle: (request) => answerTo(parts, request, (call) => parts.endpoint.delete(call)),
      },
    ] satisfies readonly ApiRoute[];
  });
}

const message = z.looseObject({ jsonrpc: z.literal('2.0'), method: z.string().optional() });
const errorSchema = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]),
  error: z.looseObject({ code: z.number(), message: z.string() }),
});
const error = (description: string) => ({ description, schema: errorSchema });
const errors = {
  400: error('The message breaks a rule of the protocol'),
  401: error('Missing or invalid credential'),
  403: error('Pages of this origin may not use the endpoint, or the key may not be used from here'),
  404: error('There is no such method, project or session'),
  429: error('A rate limit of the key, or too many requests at once'),
} as const;

async function answerTo(
  parts: McpRouteParts,
  request: ApiRequest,
  answer: (call: EndpointRequest, identity: CallerIdentity) => Promise<EndpointAnswer>,
): Promise<ApiResponse> {
  const trace = new Trace(performance.now());
  try {
    const { call, identity } = await identify(parts, request, trace);
    return withEnd(await answer(call, identity), trace);
  } catch (thrown) {
    trace.end();
    return refusal(parts, request, thrown);
  }
}

async function identify(
  parts: McpRouteParts,
  request: ApiRequest,
  trace: Trace,
): Promise<{ readonly call: EndpointRequest; readonly identity: CallerIdentity }> {
  const { callers, mcpCallers, limiter, origins } = parts;
  const { id, headers, remoteAddress, parameters } = request;
  const header = (name: string) => joinedHeaderOf(headers, name);
  if (isCrossSite({ header }, origins))
    throw new GatewayError('cross_site', 'pages of this origin may not use the MCP endpoint');
  const found = await callers.identifyCurrent(headers, remoteAddress);
  if (operatorPays(found.caller))
    throw new GatewayError('authentication_required', 'the MCP endpoint needs an API key of an account');
  const identity = limiter.isLimited(found)
    ? await limiter.count({ headers, clientRequest: undefined, trace }, found)
    : found;
  const { accountId, key } = identity;
  requireProject(identity, parameters.project);
  const caller = await mcpCallers.ofKey({
    accountId,
    keyId: key?.keyId ?? null,
    endUser: endUserOf(identity, request),
  });
  const call = {
    ...{ id, headers, caller, only: parameters.server },
    client: clientNameOf({ header }),
    signal: request.signal(),
  };
  return { call, identity };
}

/** Keys of other projects learn nothing of this one. */
function requireProject({ key }: CallerIdentity, project: string | undefined): void {
  if (project === undefined || key?.projectId === project) return;
  throw new GatewayError('not_found', 'there is no such project for this API key');
}

/** Whom a call is for: the end user of the key, or one that its program names. */
function endUserOf({ access, caller }: CallerIdentity, { headers }: ApiRequest): string | undefined {
  const name = access?.rules.endUser ?? headerOf(headers, 'x-weir-end-user');
  return name === undefined
    ? undefined
    : endUserRefFromName(name.slice(0, endUserCharactersMax), scopeOf(caller));
}

const endUserCharactersMax = 256;

/** Concurrent calls of a key count until their answer has been sent. */
function withEnd(
  { status, headers = [], body, stream, contentType }: EndpointAnswer,
  trace: Trace,
): ApiResponse {
  if (stream !== undefined)
    return {
      status,
      headers,
      stream: endingTrace(stream, trace),
      contentType: contentType ?? 'text/event-stream',
    };
  trace.end();
  return { status, headers, body: body ?? '', contentType: 'application/json' };
}

async function* endingTrace(stream: AsyncIterable<Uint8Array>, trace: Trace): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } finally {
    trace.end();
  }
}

/** What keeps a request from the protocol has the status of HTTP that clients act upon. */
function refusal({ address }: McpRouteParts, request: ApiRequest, thrown: unknown): ApiResponse {
  const { code, message: text, status, details, cause } = asGatewayError(thrown);
  if (code === 'internal') throw cause ?? thrown;
  const retry = details.retryAfterSeconds;
  return {
    status,
    contentType: 'application/json',
    headers: [
      ...(status === 401 ? ['www-authenticate', mcpChallenge(address, request, code)] : []),
      ...(retry === undefined ? [] : ['retry-after', String(Math.ceil(retry))]),
      ...(details.headers ?? []),
    ],
    body: errorText(null, { code: codes.invalidRequest, message: text, data: { code } }),
  };
}
