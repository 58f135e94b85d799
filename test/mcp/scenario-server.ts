import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { createMcpHandler, ResourceNotFoundError, Server } from '@modelcontextprotocol/server';
import { contentsOf, prompts, resources, templates, tools } from './scenarios.ts';

/** The server that the official conformance suites expect, with the official SDK. Resolves to its address. */
export async function startScenarioServer(t: TestContext): Promise<string> {
  let changes = 0;
  const handler = createMcpHandler(() =>
    createScenarios({
      changes,
      changeTools() {
        changes++;
        handler.notify.toolsChanged();
      },
      changePrompts() {
        changes++;
        handler.notify.promptsChanged();
      },
    }),
  );
  const server = createServer(async (req, res) => {
    const aborting = new AbortController();
    res.on('close', () => aborting.abort());
    const response = await handler.fetch(await toRequest(req, aborting.signal));
    res.writeHead(response.status, Object.fromEntries(response.headers));
    for await (const chunk of response.body ?? []) res.write(chunk);
    res.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${portOf(server.address())}/mcp`;
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function toRequest(req: IncomingMessage, signal: AbortSignal): Promise<Request> {
  const body = req.method === 'POST' ? Buffer.concat(await Array.fromAsync(req)) : null;
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers)) headers.set(name, String(value));
  return new Request(`http://127.0.0.1${req.url}`, { method: req.method ?? 'GET', headers, body, signal });
}

/** The lists, which tools change. */
interface ScenarioLists {
  readonly changes: number;
  changeTools(): void;
  changePrompts(): void;
}

function createScenarios(lists: ScenarioLists): Server {
  const server = new Server(
    { name: 'scenarios', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true },
        completions: {},
        logging: {},
      },
    },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: Object.entries(tools).map(([name, { inputSchema, description = name }]) => ({
      name,
      description: `${description}, changed ${lists.changes} times`,
      inputSchema: inputSchema ?? { type: 'object' as const },
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    if (params.name === 'test_trigger_tool_change') lists.changeTools();
    if (params.name === 'test_trigger_prompt_change') lists.changePrompts();
    const tool = tools[params.name];
    if (tool === undefined) throw new Error(`there is no tool ${params.name}`);
    return tool.call({ input: params.arguments ?? {}, context: context.mcpReq });
  });
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(prompts).map(([name, { arguments: names = [] }]) => ({
      name,
      description: `${name}, changed ${lists.changes} times`,
      arguments: names.map((argument) => ({ name: argument, required: true })),
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params }, context) => {
    const prompt = prompts[params.name];
    if (prompt === undefined) throw new Error(`there is no prompt ${params.name}`);
    return prompt.get({ input: params.arguments ?? {}, context: context.mcpReq });
  });
  server.setRequestHandler('resources/list', () => ({ resources: [...resources] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [...templates] }));
  server.setRequestHandler('resources/read', ({ params }) => {
    const contents = contentsOf(params.uri);
    if (contents === undefined) throw new ResourceNotFoundError(params.uri);
    return { contents };
  });
  server.setRequestHandler('completion/complete', () => ({ completion: { values: [] } }));
  return server;
}
