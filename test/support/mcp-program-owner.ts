// Starts a program as a gateway does, writes its process id, and waits to be killed.
import { ChannelTransport } from '../../src/mcp/upstream/channel-transport.ts';
import { ProgramStarter } from '../../src/mcp/upstream/program-channel.ts';
import { RpcConnection } from '../../src/mcp/upstream/rpc-connection.ts';

const starter = new ProgramStarter({
  server: 'acme',
  command: process.execPath,
  args: [process.argv[2] ?? '', 'stubborn'],
  environment: async () => ({}),
  onErrorLine: (line) => {
    if (line.startsWith('runs ')) console.log(line.slice(5));
  },
  showsOutput: true,
});
const connection = new RpcConnection({
  server: 'acme',
  transport: new ChannelTransport('acme', (events) => starter.open(events)),
  identity: { name: 'weir', version: '1' },
  timeoutMs: 20_000,
  probeMs: 5000,
  mailbox: undefined,
  memory: { era: undefined },
});
await connection.describe({ signal: new AbortController().signal });
setInterval(() => undefined, 1000);
