import { createServer, type ServerResponse } from 'node:http';
import type { JsonObject } from '../../src/lib/json.ts';

interface ScriptedTool {
  readonly name: string;
  readonly inputSchema?: JsonObject;
}

export interface ServerScript {
  readonly tools: readonly ScriptedTool[];
  readonly ttlMs?: number;
  readonly cacheScope?: 'public' | 'private';
  /** Answers a call; by default with the name of the tool. */
  call?(params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
}

export interface ScriptedServer {
  readonly url: string;
  /** Open streams of changes. */
  readonly listeners: number;
  readonly calls: readonly JsonObject[];
  /** Replaces the tools and tells all listeners. */
  change(tools: readonly ScriptedTool[]): void;
  stop(): Promise<void>;
}

/** A server of revision 2026-07-28 without an SDK, which says exactly what a test has it say. */
export async function startScriptedServer(
  t: { after(stop: () => unknown): void },
  script: ServerScript,
): Promise<ScriptedServer> {
  const { ttlMs = 0, cacheScope = 'public', call = named } = script;
  let { tools } = script;
  const streams = new Map<ServerResponse, unknown>();
  const calls: JsonObject[] = [];
  const answer = async ({ method, params }: JsonObject, signal: AbortSignal): Promise<JsonObject> => {
    switch (method) {
      case 'server/discover':
        return {
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: { listChanged: true } },
          ttlMs,
          cacheScope,
        };
      case 'tools/list':
        return { tools: tools.map(defined), ttlMs, cacheScope };
      case 'tools/call':
        calls.push(params as JsonObject);
        return call(params as JsonObject, signal);
      default:
        throw new Error(`the script has no ${String(method)}`);
    }
  };
  const server = createServer(async (req, res) => {
    const request = JSON.parse(Buffer.concat(await Array.fromAsync(req)).toString());
    const { id, method } = request;
    if (method === 'subscriptions/listen') {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      const meta = { 'io.modelcontextprotocol/subscriptionId': id };
      const acknowledged = { notifications: request.params.notifications, _meta: meta };
      res.write(event({ method: 'notifications/subscriptions/acknowledged', params: acknowledged }));
      streams.set(res, meta);
      res.on('close', () => streams.delete(res));
      return;
    }
    const aborting = new AbortController();
    res.on('close', () => aborting.abort());
    try {
      const result = { resultType: 'complete', ...(await answer(request, aborting.signal)) };
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    } catch (error) {
      res.writeHead(404, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: String(error) } }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  t.after(stop);
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    calls,
    get listeners() {
      return streams.size;
    },
    change(changed) {
      tools = changed;
      for (const [stream, _meta] of streams)
        stream.write(event({ method: 'notifications/tools/list_changed', params: { _meta } }));
    },
    stop,
  };
}

async function named({ name }: JsonObject): Promise<JsonObject> {
  return { content: [{ type: 'text', text: String(name) }] };
}

function defined({ name, inputSchema = { type: 'object' } }: ScriptedTool): JsonObject {
  return { name, description: name, inputSchema };
}

function event(message: JsonObject): string {
  return `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
}
