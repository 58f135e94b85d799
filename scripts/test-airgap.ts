// A gateway with everything switched on, and a hostile package in it, in a network namespace whose only cable is recorded: npm run test:airgap
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, connect as dial } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startScriptedServer } from '../test/mcp/scripted-server.ts';
import { formatAt, streamIn } from '../test/support/formats.ts';
import { portOf } from '../test/support/server.ts';
import { SocketProvider } from '../test/support/socket-provider.ts';
import { accountHost } from './test-airgap/mcp.ts';
import { Namespace } from './test-airgap/namespace.ts';
import { Recorder } from './test-airgap/recorder.ts';
import { installOnDebian, isRootOnDebian } from './test-servers/debian.ts';
import { onPath } from './test-servers/programs.ts';

const needed = { ip: 'iproute2', tcpdump: 'tcpdump' };
const missing = Object.entries(needed).flatMap(([name, debian]) =>
  onPath(name) === undefined ? debian : [],
);
if (process.platform !== 'linux' || process.getuid?.() !== 0) {
  console.error('npm run test:airgap needs Linux, root, and the programs ip (iproute2) and tcpdump');
  process.exit(1);
}
if (missing.length > 0) {
  if (!isRootOnDebian()) throw new Error(`install ${missing.join(' and ')} first`);
  installOnDebian(missing);
}

const namespace = new Namespace();
const closing: (() => unknown)[] = [];
const provider = await startProvider();
const mcp = await startScriptedServer({ after: (stop) => closing.push(stop) }, { tools: [{ name: 'look' }] });
const ports = { provider: await forward(provider.fake.url), mcp: await forward(mcp.url) };
const folder = mkdtempSync(join(tmpdir(), 'weir-airgap-'));
const recorder = await Recorder.start(namespace, Object.values(ports));
try {
  // Without the airgap the same package must show up, or the recorder proves nothing.
  await runInside('control');
  const control = await recorder.take();
  await runInside('airgap');
  const leaked = await recorder.take();
  const lookups = control.filter((line) => line.includes('.53: '));
  console.log(`without WEIR_AIRGAP: ${control.length} packets to others, ${lookups.length} of them DNS`);
  const toServers = control.filter((line) => line.includes(accountHost));
  console.log(`  ${toServers.length} of them for MCP servers of an account`);
  console.log(`with WEIR_AIRGAP: ${leaked.length} packets to others`);
  console.log(
    `the provider got ${provider.fake.requests.length} requests and ${provider.sockets()} WebSockets,` +
      ` the operator's MCP server ${mcp.calls.length} calls of tools`,
  );
  for (const line of leaked.slice(0, 50)) console.log(`  ${line}`);
  if (toServers.length === 0 || lookups.length === 0) throw new Error('the recorder has seen nothing');
  if (leaked.length > 0) throw new Error('something left the airgap');
  if (provider.sockets() === 0) throw new Error('the provider has got no WebSocket');
  if (mcp.calls.length === 0) throw new Error('the MCP server of the operator has got no call');
} finally {
  await recorder.stop();
  await Promise.all(closing.map((close) => close()));
  await provider.fake.close();
  namespace.remove();
  rmSync(folder, { recursive: true });
}

async function startProvider() {
  const fake = await FakeUpstream.start((request) => {
    const format = formatAt(request.url);
    if (request.url.startsWith('/token')) return { body: { access_token: 'token', expires_in: 3600 } };
    return request.json.stream === true || request.url.includes('stream')
      ? { body: streamIn(format, 'Hello'), contentType: 'text/event-stream' }
      : { body: format.whole('Hello') };
  });
  const sockets = SocketProvider.at(fake);
  return { fake, sockets: () => sockets.handshakes.length };
}

/** A port at the other end of the cable that leads to a server of this machine. */
async function forward(url: string): Promise<number> {
  const server = createServer((near) => {
    const far = dial(Number(new URL(url).port), '127.0.0.1');
    for (const socket of [near, far]) socket.on('error', () => [near, far].map((one) => one.destroy()));
    near.pipe(far).pipe(near);
  }).listen(0, namespace.outside);
  closing.push(() => server.close());
  await once(server, 'listening');
  return portOf(server.address());
}

/** Runs a test file in the namespace. */
async function runInside(mode: 'control' | 'airgap'): Promise<void> {
  const file = join(import.meta.dirname, 'test-airgap', 'inside.ts');
  const child = spawn('ip', ['netns', 'exec', namespace.name, process.execPath, file], {
    stdio: 'inherit',
    env: {
      ...process.env,
      MODE: mode,
      DATA: folder,
      PROVIDER: `http://${namespace.outside}:${ports.provider}`,
      MCP_SERVER: `http://${namespace.outside}:${ports.mcp}/mcp`,
    },
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the gateway in the namespace failed (${mode})`);
}
