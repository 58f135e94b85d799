// The merged list of tools of ten MCP servers, from the cache: npm run bench:mcp
// Each request is one over HTTP on this machine, with a whole answer. A dead and a hanging server must not slow the list.
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { request } from 'undici';
import { startTestGateway } from '../../src/testing/test-gateway.ts';
import { listening } from '../../test/support/server.ts';
import { numberOption } from './number-option.ts';

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '300' }, tools: { type: 'string', default: '55' } },
});
const requests = numberOption('requests', values.requests);
const toolsOfServer = numberOption('tools', values.tools);
const goalMs = 3;

const listRequest = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/list',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});

const closing: (() => Promise<unknown>)[] = [];
const urls = await Promise.all(Array.from({ length: 10 }, (_, at) => startServer(at)));
const healthy = Object.fromEntries(urls.map((url, at) => [`server${at}`, { url }]));
const hanging = createServer(() => undefined);
const hangingUrl = await listening(hanging);
closing.push(
  async () => hanging.closeAllConnections(),
  async () => hanging.close(),
);

console.log('| servers | tools | bytes | first list | p50 | p99 | CPU |');
console.log('|---|---|---|---|---|---|---|');
try {
  const alone = await measure('ten', healthy);
  const beside = await measure('ten, one dead, one hanging', {
    ...healthy,
    dead: { url: 'http://127.0.0.1:1/mcp' },
    hanging: { url: `${hangingUrl}/mcp` },
  });
  const worst = Math.max(alone, beside);
  console.log(`\np50 of a cached list: ${worst.toFixed(2)} ms, goal ${goalMs} ms`);
  if (worst > goalMs) process.exitCode = 1;
} finally {
  for (const close of closing) await close();
}

/** The p50 of a cached list. */
async function measure(name: string, servers: object): Promise<number> {
  const weir = await startTestGateway({ WEIR_MCP_SERVERS: JSON.stringify(servers) });
  try {
    const first = await timed(weir.url);
    for (let left = 50; left > 0; left--) await timed(weir.url);
    const times: number[] = [];
    const before = process.cpuUsage();
    for (let left = requests; left > 0; left--) times.push((await timed(weir.url)).ms);
    const { user, system } = process.cpuUsage(before);
    times.sort((one, other) => one - other);
    const p50 = times[Math.floor(times.length / 2)] ?? 0;
    const p99 = times[Math.floor(times.length * 0.99)] ?? 0;
    const cpuMs = (user + system) / 1000 / requests;
    const cells = [name, first.tools, first.bytes, `${first.ms.toFixed(0)} ms`];
    const figures = [p50, p99, cpuMs].map((ms) => `${ms.toFixed(2)} ms`);
    console.log(`| ${[...cells, ...figures].join(' | ')} |`);
    return p50;
  } finally {
    await weir.close();
  }
}

async function timed(url: string) {
  const startedAt = performance.now();
  const { body, statusCode } = await request(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
    },
    body: listRequest,
  });
  const bytes = Buffer.from(await body.arrayBuffer());
  const ms = performance.now() - startedAt;
  if (statusCode !== 200) throw new Error(`the list failed: ${statusCode} ${bytes}`);
  return { ms, bytes: bytes.byteLength, tools: bytes.toString().split('"inputSchema"').length - 1 };
}

/** A server whose tools have descriptions and schemas as long as those of real ones. */
async function startServer(number: number): Promise<string> {
  const tools = Array.from({ length: toolsOfServer }, (_, at) => ({
    name: `tool_${number}_${at}`,
    description: 'Looks for something that somebody has written down, and says where. '.repeat(4),
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        ['query', 'owner', 'repository', 'page', 'order'].map((name) => [
          name,
          { type: 'string', description: `The ${name} of what is looked for, as it is written` },
        ]),
      ),
      required: ['query'],
    },
  }));
  const server = createServer(async (req, res) => {
    const { id, method } = JSON.parse(Buffer.concat(await Array.fromAsync(req)).toString());
    const cached = { resultType: 'complete', ttlMs: 3_600_000, cacheScope: 'public' };
    const results: Readonly<Record<string, object>> = {
      'server/discover': { ...cached, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
      'tools/list': { ...cached, tools },
    };
    const result = results[String(method)];
    const error = { code: -32601, message: 'there is no such method' };
    res.writeHead(result === undefined ? 404 : 200, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) }));
  });
  const url = await listening(server);
  closing.push(
    async () => server.closeAllConnections(),
    async () => server.close(),
  );
  return `${url}/mcp`;
}
