import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { GatewayError } from '../src/kernel/errors.ts';
import { ChannelTransport } from '../src/mcp/upstream/channel-transport.ts';
import { ProgramStarter } from '../src/mcp/upstream/program-channel.ts';
import { RpcConnection } from '../src/mcp/upstream/rpc-connection.ts';
import { openSseChannel } from '../src/mcp/upstream/sse-channel.ts';
import { eventually } from './support/eventually.ts';
import { connectTo, startRpcServer } from './support/mcp-servers.ts';

const program = join(import.meta.dirname, 'support', 'mcp-program.js');
const none = () => ({ signal: new AbortController().signal });

test('a program is started with its variables and those of the allow-list, listed and called', async (t) => {
  process.env.WEIR_SECRET_OF_GATEWAY = 'secret';
  t.after(() => delete process.env.WEIR_SECRET_OF_GATEWAY);
  const { connection, lines } = start(t, [], { TOKEN: 'of the server' });
  const { era, serverInfo } = await connection.describe(none());
  assert.deepEqual([era, serverInfo.name], ['sessions', 'program']);
  assert.equal((await connection.list('tools', none())).items.length, 4);
  const { content } = await connection.request('tools/call', { name: 'environment', arguments: {} }, none());
  const environment = JSON.parse(textOf(content));
  assert.equal(environment.TOKEN, 'of the server');
  assert.equal(environment.PATH, process.env.PATH);
  assert.equal(environment.WEIR_SECRET_OF_GATEWAY, undefined);
  assert.match(lines.join('\n'), /runs \d+/);
});

test('a program asks the client of its only call', async (t) => {
  const { connection } = start(t);
  const options = { ...none(), clientCapabilities: { elicitation: {} } };
  const { requestState, inputRequests } = await connection.request(
    'tools/call',
    { name: 'ask', arguments: {} },
    options,
  );
  const [name = ''] = Object.keys(Object(inputRequests));
  const inputResponses = { [name]: { action: 'accept', content: { color: 'red' } } };
  const again = { name: 'ask', arguments: {}, inputResponses, requestState };
  assert.match(textOf((await connection.request('tools/call', again, options)).content), /red/);
});

test('a program that ends fails its calls, and is started again for the next one', async (t) => {
  const { connection, now, lines } = start(t, ['strict']);
  const end = () => connection.request('tools/call', { name: 'end', arguments: {} }, none());
  await assert.rejects(end(), says(/ended with code 7/));
  assert.equal((await connection.list('tools', none())).items.length, 4);
  await assert.rejects(end(), says(/ended with code 7/));
  await assert.rejects(connection.list('tools', none()), says(/ended with code 7.*started again in 500 ms/));
  now.ms += 500;
  assert.equal((await connection.list('tools', none())).items.length, 4);
  await assert.rejects(
    connection.request('tools/call', { name: 'garbage', arguments: {} }, none()),
    says(/no JSON/),
  );
  assert.equal((await connection.list('tools', none())).items.length, 4);
  assert.equal(lines.filter((line) => line.startsWith('runs')).length, 4);
});

test('a program that ends at a request that it does not know is started anew, as one with sessions', async (t) => {
  const { connection } = start(t, ['fragile']);
  assert.equal((await connection.describe(none())).era, 'sessions');
});

test('a program that can’t be started, or fails at once, says why, and is not started in a loop', async (t) => {
  const missing = start(t, [], {}, '/no/such/program');
  await assert.rejects(missing.connection.describe(none()), says(/can't be started|ended with code/));
  const { connection, now, lines } = start(t, ['fails']);
  await assert.rejects(connection.describe(none()), says(/ended with code 3 \(the token is missing\)/));
  for (let at = 0; at < 10; at++)
    await assert.rejects(connection.describe(none()), says(/is started again in/));
  assert.equal(lines.length, 2);
  now.ms += 600;
  await assert.rejects(connection.describe(none()), says(/code 3/));
  assert.equal(lines.length, 3);
});

test('a program that ignores its end is killed, with what it has started', async (t) => {
  const { connection, lines } = start(t, ['stubborn']);
  await connection.describe(none());
  const pid = pidIn(lines, 'runs');
  await connection.close();
  await eventually(() => (isRunning(pid) ? undefined : true));
  const parent = start(t, ['parent']);
  await parent.connection.describe(none());
  const child = pidIn(parent.lines, 'child');
  await parent.connection.close();
  await eventually(() => (isRunning(child) ? undefined : true));
});

test('a program ends with a gateway that is killed', { skip: process.platform !== 'linux' }, async (t) => {
  const gateway = spawn(
    process.execPath,
    [join(import.meta.dirname, 'support', 'mcp-program-owner.ts'), program],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  t.after(() => gateway.kill('SIGKILL'));
  const pid = await firstLine(gateway);
  assert.equal(isRunning(pid), true);
  gateway.kill('SIGKILL');
  await eventually(() => (isRunning(pid) ? undefined : true));
});

test('a server of revision 2024-11-05 is spoken to over one stream of events', async (t) => {
  const { url, requests } = await startRpcServer(t, (request, body, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /messages?session=1\n\n');
      stream = response;
    } else if (!request.url?.startsWith('/messages')) response.writeHead(405).end();
    else {
      response.writeHead(202).end();
      const { id, method } = JSON.parse(body);
      const result =
        method === 'initialize'
          ? {
              protocolVersion: '2024-11-05',
              capabilities: { tools: {} },
              serverInfo: { name: 'old', version: '0' },
            }
          : { tools: [{ name: 'one', inputSchema: {} }] };
      if (id !== undefined)
        stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    }
  });
  let stream: { write(text: string): unknown } | undefined;
  const connection = connectTo(t, url);
  assert.equal((await connection.describe(none())).protocolVersion, '2024-11-05');
  assert.deepEqual(
    (await connection.list('tools', none())).items.map(({ name }) => name),
    ['one'],
  );
  assert.ok(
    requests.filter(({ method }) => method === 'POST').every(({ headers }) => headers['x-key'] === 'secret'),
  );
});

test('a stream of events that names another origin for messages gets no credential', async (t) => {
  const { url } = await startRpcServer(t, (_, __, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: endpoint\ndata: https://evil.example/messages\n\n');
  });
  const parts = {
    server: 'acme',
    url,
    fetch,
    credential: async () => ({ headers: {}, onRejected: async () => false }),
  };
  const events = { onBytes: () => undefined, onClose: () => undefined };
  await assert.rejects(openSseChannel(parts, events), says(/another origin/));
});

/** A connection to the program, with a clock of its own for the pauses between starts. */
function start(
  t: TestContext,
  args: readonly string[] = [],
  variables = {},
  command: string = process.execPath,
) {
  const lines: string[] = [];
  const now = { ms: 0 };
  const starter = new ProgramStarter(
    {
      server: 'acme',
      command,
      args: command === process.execPath ? [program, ...args] : args,
      environment: async () => variables,
      onErrorLine: (line) => void lines.push(line),
      showsOutput: true,
    },
    () => now.ms,
  );
  const connection = new RpcConnection({
    server: 'acme',
    transport: new ChannelTransport('acme', (events) => starter.open(events)),
    identity: { name: 'weir', version: '1' },
    timeoutMs: 20_000,
    probeMs: 5000,
    mailbox: undefined,
    memory: { era: undefined },
  });
  t.after(() => connection.close());
  return { connection, lines, now };
}

function says(what: RegExp) {
  return (error: unknown) =>
    GatewayError.is(error) && error.message.includes('"acme"') && what.test(error.message);
}

function textOf(content: unknown): string {
  return Array.isArray(content) ? String(content[0].text) : '';
}

function pidIn(lines: readonly string[], word: string): number {
  const line = lines.find((one) => one.startsWith(word));
  assert.ok(line);
  return Number(line.split(' ')[1]);
}

async function firstLine(process: ChildProcess): Promise<number> {
  assert.ok(process.stdout);
  const [line] = await once(createInterface({ input: process.stdout }), 'line');
  return Number(line);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
