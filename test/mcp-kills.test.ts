import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { type TestContext, test } from 'node:test';
import { listening, portOf } from './support/server.ts';
import { WeirProcess } from './support/weir-process.ts';

/** `npm run test:mcp-kills` makes more. */
const calls = Number(process.env.MCP_CALLS ?? 200);
const serverKills = Number(process.env.MCP_SERVER_KILLS ?? 3);
const gatewayKills = Number(process.env.MCP_GATEWAY_KILLS ?? 1);
const atOnce = 16;

/** An MCP server that counts calls by their id, and can be killed in the middle of them. */
class CountedServer {
  readonly counts = new Map<string, number>();
  #server: Server;
  #port = 0;

  constructor() {
    this.#server = this.#create();
  }

  async start(): Promise<string> {
    await listening(this.#server, this.#port);
    this.#port = portOf(this.#server.address());
    return `http://127.0.0.1:${this.#port}/mcp`;
  }

  async kill(): Promise<void> {
    await this.stop();
    this.#server = this.#create();
    await this.start();
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #create(): Server {
    return createServer(async (req, res) => {
      const chunks = await Array.fromAsync(req).catch(() => undefined);
      if (chunks === undefined) return;
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
      const result = this.#resultOf(method, params);
      const error = { code: -32601, message: 'there is no such method' };
      // A turn later, so that some calls are under way when the server is killed.
      setTimeout(() => {
        res.writeHead(result === undefined ? 404 : 200, { 'content-type': 'application/json' });
        res.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) }));
      }, 2);
    });
  }

  #resultOf(method: string, params: { readonly arguments?: { readonly id: string } }): object | undefined {
    const whole = { resultType: 'complete', ttlMs: 3_600_000, cacheScope: 'public' };
    if (method === 'server/discover')
      return { ...whole, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
    if (method === 'tools/list')
      return { ...whole, tools: [{ name: 'count', inputSchema: { type: 'object' } }] };
    const id = params.arguments?.id;
    if (method !== 'tools/call' || id === undefined) return undefined;
    this.counts.set(id, (this.counts.get(id) ?? 0) + 1);
    return { resultType: 'complete', content: [{ type: 'text', text: id }] };
  }
}

async function callOnce(url: string, name: string, id: string): Promise<'answered' | 'failed'> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: { id }, _meta: meta },
    }),
  }).catch(() => undefined);
  const text = await response?.text().catch(() => undefined);
  // The gateway was killed: its client knows no more than that.
  if (text === undefined || text === '') return 'failed';
  const { result, error } = JSON.parse(text);
  if (error === undefined) {
    assert.deepEqual(result.content, [{ type: 'text', text: id }]);
    return 'answered';
  }
  assert.ok(String(error.message).length > 10, text);
  return 'failed';
}

test('each call reaches its server once, or ends with an error, while servers and the gateway are killed', async (t: TestContext) => {
  const servers = { one: new CountedServer(), two: new CountedServer() };
  t.after(() => Promise.all(Object.values(servers).map((server) => server.stop())));
  const urls = Object.fromEntries(
    await Promise.all(
      Object.entries(servers).map(async ([name, server]) => [name, { url: await server.start() }]),
    ),
  );
  const environment = { WEIR_MCP_SERVERS: JSON.stringify(urls), WEIR_LOG_LEVEL: 'error' };
  const startGateway = async () => {
    const weir = new WeirProcess(t, { environment });
    return { weir, url: await weir.listening };
  };
  let gateway = startGateway();
  await gateway;
  const outcomes = new Map<string, 'answered' | 'failed'>();
  const every = (kills: number) => Math.ceil(calls / (kills + 1));
  let made = 0;
  const work = async () => {
    while (made < calls) {
      const at = made++;
      if (at > 0 && at % every(serverKills) === 0) await (at % 2 === 0 ? servers.one : servers.two).kill();
      if (at > 0 && at % every(gatewayKills) === 0) {
        const { weir } = await gateway;
        weir.signal('SIGKILL');
        gateway = startGateway();
      }
      const id = `call-${at}`;
      const { url } = await gateway;
      outcomes.set(id, await callOnce(url, `${at % 2 === 0 ? 'one' : 'two'}__count`, id));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const counted = new Map([...servers.one.counts, ...servers.two.counts]);
  assert.equal(outcomes.size, calls);
  for (const [id, outcome] of outcomes) {
    const count = counted.get(id) ?? 0;
    assert.ok(count === 1 || (count === 0 && outcome === 'failed'), `${id} ${outcome}, ${count} times`);
  }
  const answered = [...outcomes.values()].filter((outcome) => outcome === 'answered').length;
  t.diagnostic(`${answered} of ${calls} calls answered`);
  assert.ok(answered > calls / 4, `${answered} of ${calls} calls were answered`);
});
