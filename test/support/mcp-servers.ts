import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { McpServer as SessionServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler, fromJsonSchema, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { Egress } from '../../src/egress/egress.ts';
import type { EgressFetch } from '../../src/kernel/ports/fetch.ts';
import type { CallMailbox } from '../../src/mcp/upstream/call-mailbox.ts';
import { FallbackTransport } from '../../src/mcp/upstream/fallback-transport.ts';
import { RpcConnection } from '../../src/mcp/upstream/rpc-connection.ts';
import { startServer } from './server.ts';

export type Handler = (
  request: IncomingMessage,
  body: string,
  response: ServerResponse,
) => void | Promise<void>;

/** A server for HTTP that reads bodies, and ends with its test. Sees each request with its headers. */
export async function startRpcServer(t: { after(stop: () => unknown): void }, handle: Handler) {
  const requests: {
    readonly method: string;
    readonly headers: IncomingMessage['headers'];
    readonly body: string;
  }[] = [];
  const url = await startServer(t, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    requests.push({ method: request.method ?? '', headers: request.headers, body });
    await handle(request, body, response);
  });
  return { url: `${url}/mcp`, requests };
}

const city = { type: 'string', 'x-mcp-header': 'City' } as const;
const citySchema = fromJsonSchema<{ city: string }>({
  type: 'object',
  properties: { city },
  required: ['city'],
});
const nothing = fromJsonSchema<object>({ type: 'object', properties: {} });

/** The official server of revision 2026-07-28. */
export async function startStatelessServer(t: TestContext) {
  const cancelled = Promise.withResolvers<void>();
  const handler = createMcpHandler(() => {
    const server = new McpServer(
      { name: 'stateless', version: '2.0' },
      { capabilities: { tools: { listChanged: true }, resources: { subscribe: true } } },
    );
    server.registerTool('weather', { description: 'The weather', inputSchema: citySchema }, ({ city }) => ({
      content: [{ type: 'text', text: `rain in ${city}` }],
    }));
    server.registerTool('slow', { inputSchema: nothing }, async (_, context) => {
      await new Promise<void>((resolve) => context.mcpReq.signal.addEventListener('abort', () => resolve()));
      cancelled.resolve();
      return { content: [] };
    });
    server.registerTool('ask', { inputSchema: nothing }, (_, context) => {
      const answer = context.mcpReq.inputResponses?.color;
      if (answer === undefined)
        return inputRequired({
          inputRequests: {
            color: inputRequired.elicit({
              message: 'Which colour?',
              requestedSchema: { type: 'object', properties: { color: { type: 'string' } } },
            }),
          },
        });
      return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
    });
    server.registerResource('readme', 'file:///readme', {}, async () => ({
      contents: [{ uri: 'file:///readme', text: 'read me' }],
    }));
    return server;
  });
  const { url, requests } = await startRpcServer(t, async (request, body, response) => {
    const leaving = new AbortController();
    response.on('close', () => leaving.abort());
    const answer = await handler.fetch(
      new Request(`http://127.0.0.1${request.url}`, {
        method: request.method ?? 'GET',
        headers: Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        signal: leaving.signal,
        ...(body !== '' && { body }),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body !== null) for await (const chunk of answer.body) response.write(chunk);
    response.end();
  });
  t.after(() => handler.close());
  return { url, requests, notify: handler.notify, cancelled: cancelled.promise };
}

const colourQuestion = {
  message: 'Which colour?',
  requestedSchema: { type: 'object' as const, properties: { color: { type: 'string' as const } } },
};

/** The official server of the revisions with sessions. */
export async function startSessionServer(t: TestContext) {
  const answered = Promise.withResolvers<void>();
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const servers: SessionServer[] = [];
  const cancelled = Promise.withResolvers<void>();
  const open = async () => {
    const server = new SessionServer({ name: 'sessions', version: '1.0' }, { capabilities: { logging: {} } });
    server.registerTool(
      'weather',
      { description: 'The weather', inputSchema: { city: z.string() } },
      ({ city }) => ({
        content: [{ type: 'text', text: `rain in ${city}` }],
      }),
    );
    server.registerTool('count', {}, async ({ sendNotification, _meta }) => {
      const progressToken = _meta?.progressToken;
      if (progressToken !== undefined)
        await sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress: 1, total: 2 },
        });
      return { content: [{ type: 'text', text: 'counted' }] };
    });
    server.registerTool('slow', {}, async ({ signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      cancelled.resolve();
      return { content: [] };
    });
    server.registerTool('ask', {}, async ({ sendRequest }) => {
      const answer = await sendRequest(
        {
          method: 'elicitation/create',
          params: colourQuestion,
        },
        z.looseObject({ action: z.string() }),
      );
      return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
    });
    server.registerTool('ask-and-wait', {}, async ({ sendRequest, signal }) => {
      await sendRequest({ method: 'elicitation/create', params: colourQuestion }, z.looseObject({}));
      answered.resolve();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      cancelled.resolve();
      return { content: [] };
    });
    server.registerTool('ask-aside', {}, async () => {
      const answer = await server.server.elicitInput(colourQuestion);
      return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
    });
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await server.connect(transport);
    servers.push(server);
    return transport;
  };
  const { url, requests } = await startRpcServer(t, async (request, body, response) => {
    const id = request.headers['mcp-session-id'];
    const parsed = body === '' ? undefined : JSON.parse(body);
    const transport =
      typeof id === 'string' ? sessions.get(id) : parsed?.method === 'initialize' ? await open() : undefined;
    if (transport !== undefined) return transport.handleRequest(request, response, parsed);
    response.writeHead(typeof id === 'string' ? 404 : 400, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message: 'Bad Request' }, id: null }),
    );
  });
  t.after(() => Promise.all(servers.map((server) => server.close())));
  return { url, requests, servers, sessions, answered: answered.promise, cancelled: cancelled.promise };
}

interface ConnectOptions {
  readonly timeoutMs?: number;
  readonly mailbox?: CallMailbox;
}

/** A connection as the gateway has it, without the gateway. */
export function connectTo(
  t: TestContext,
  url: string,
  { timeoutMs = 20_000, mailbox }: ConnectOptions = {},
): RpcConnection {
  const egress = new Egress({ isPublicOnly: false });
  const fetch: EgressFetch = egress.openFetch({ purpose: 'mcp', reachOf: () => 'any' });
  const transport = new FallbackTransport({
    server: 'acme',
    url,
    fetch,
    credential: async () => ({ headers: { 'x-key': 'secret' }, onRejected: async () => false }),
  });
  const identity = { name: 'weir', version: '1' };
  const connection = new RpcConnection({
    ...{ server: 'acme', transport, identity, timeoutMs, probeMs: undefined },
    mailbox,
    memory: { era: undefined },
  });
  t.after(async () => {
    await connection.close();
    await egress.close();
  });
  return connection;
}

/** A server that answers what a script says, as one message of JSON. Undefined: it never answers. */
export async function startScriptedServer(
  t: TestContext,
  answer: (method: string, params: Readonly<Record<string, unknown>>) => object | undefined,
) {
  return startRpcServer(t, (_, body, response) => {
    const { id, method = '', params = {} } = body === '' ? {} : JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    const result =
      method === 'server/discover'
        ? { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
        : answer(method, params);
    if (result === undefined) return;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
}
