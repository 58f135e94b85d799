import type { EventEmitter } from 'node:events';
import { globSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { join } from 'node:path';
import { z } from 'zod';
import { defineModule, type Kit, type ModuleFactory, type ModuleHost } from '../../src/module-api.ts';

const options = z.strictObject({
  /** An address that nobody allows, and a name. */
  host: z.string(),
  port: z.coerce.number(),
  name: z.string(),
  /** The attempts; all by default. */
  only: z.string().default(''),
});
/** What stops an attempt: Node.js, the egress, the primary process, or nobody answers. */
export const stopped =
  /^(?:ERR_ACCESS_DENIED|ERR_DLOPEN_DISABLED|EGRESS_AIRGAP|SILENCE|NO_WEBSOCKET|TypeError|UV_-?\d+)$/;

type Options = z.output<typeof options>;
type Attempt = (to: Options, kit: Kit<Options>, host: ModuleHost) => unknown;

const builtin = (name: string) => createRequire(import.meta.url)(`node:${name}`);
const root = join(import.meta.dirname, '..', '..');

/** Resolves when something connects. */
function connected(socket: EventEmitter): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  for (const event of ['connect', 'secureConnect', 'response', 'open'])
    socket.once(event, () => resolve('connected'));
  socket.on('error', reject);
  return promise;
}

/** Everything that a package could try to reach an address that is not allowed. */
export const attempts: Readonly<Record<string, Attempt>> = {
  'kit.fetch': ({ host, port }, kit) => kit.fetch(`http://${host}:${port}/`),
  'host.fetch': ({ name }, _, host) => host.fetch(`http://${name}/`),
  fetch: ({ host, port }) => fetch(`http://${host}:${port}/`),
  'fetch of a name': ({ name }) => fetch(`http://${name}/`),
  'undici of the gateway': async ({ host, port }) => {
    const { request } = await import('undici');
    return request(`http://${host}:${port}/`);
  },
  'global dispatcher': async ({ host, port }) => {
    const dispatcher = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'));
    return dispatcher.request({ origin: `http://${host}:${port}`, path: '/', method: 'GET' });
  },
  WebSocket: ({ host, port }) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const socket = new WebSocket(`ws://${host}:${port}/`);
    socket.addEventListener('open', () => resolve('connected'));
    socket.addEventListener('error', () => reject(Object.assign(new Error('no'), { code: 'NO_WEBSOCKET' })));
    return promise;
  },
  'net.connect': ({ host, port }) => connected(builtin('net').connect(port, host)),
  'net.createConnection': ({ host, port }) => connected(builtin('net').createConnection({ host, port })),
  'net.Socket of a name': ({ name }) => connected(new (builtin('net').Socket)().connect(80, name)),
  'Unix socket': () => connected(builtin('net').connect('/var/run/docker.sock')),
  'tls.connect': ({ host, port }) => connected(builtin('tls').connect({ host, port })),
  'http.get': ({ host, port }) => connected(builtin('http').get({ host, port })),
  'https.get': ({ name }) => connected(builtin('https').get({ host: name })),
  'http2.connect': ({ host, port }) => connected(builtin('http2').connect(`http://${host}:${port}`)),
  'raw handle': ({ host, port }) => {
    const handles: readonly unknown[] = Reflect.get(process, '_getActiveHandles').call(process);
    const { _handle: known }: { _handle?: object } =
      handles.map(Object).find((one) => /TCP/.test(one._handle?.constructor?.name)) ?? {};
    if (known === undefined) throw Object.assign(new Error('there is none'), { code: 'NO_HANDLE' });
    const handle: object = Reflect.construct(Reflect.get(known, 'constructor'), [0]);
    const request = { oncomplete: () => undefined };
    const error: unknown = Reflect.apply(Reflect.get(handle, 'connect'), handle, [request, host, port]);
    if (error instanceof Error) throw error;
    if (error !== 0) throw Object.assign(new Error('no'), { code: `UV_${error}` });
    return 'connected';
  },
  'dgram send': ({ host, port }) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const socket = builtin('dgram').createSocket('udp4');
    socket.on('error', reject);
    socket.send('out', port, host, (error: Error | null) => (error ? reject(error) : resolve('sent')));
    return promise;
  },
  'dgram send to a name': ({ name }) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const socket = builtin('dgram').createSocket('udp4');
    socket.on('error', reject);
    socket.send('out', 53, name, (error: Error | null) => (error ? reject(error) : resolve('sent')));
    return promise;
  },
  'dns.lookup': ({ name }) => builtin('dns').promises.lookup(name),
  'dns.resolve': ({ name }) => builtin('dns').promises.resolve4(name),
  'dns.Resolver': ({ host, name }) => {
    const resolver = new (builtin('dns').promises.Resolver)();
    resolver.setServers([host]);
    return resolver.resolveTxt(name);
  },
  spawn: ({ host, port }) =>
    builtin('child_process').execFileSync(process.execPath, [
      '-e',
      `fetch('http://${host}:${port}').catch(()=>1)`,
    ]),
  'spawn a shell': ({ name }) => builtin('child_process').execSync(`getent hosts ${name} || true`),
  fork: () => connected(builtin('child_process').fork(import.meta.filename)),
  'worker thread': ({ host, port }) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const code = `fetch('http://${host}:${port}/').catch(() => 1)`;
    const worker = new (builtin('worker_threads').Worker)(code, { eval: true, execArgv: [] });
    worker.on('error', reject).on('exit', () => resolve('ran'));
    return promise;
  },
  'native addon': () => {
    const [file = ''] = globSync('node_modules/@node-rs/argon2-linux-*/*.node', { cwd: root });
    process.dlopen({ exports: {} }, join(root, file));
    return 'loaded';
  },
  ffi: () => {
    builtin('ffi').dlopen(null);
    return 'loaded';
  },
  'process.binding': () => Reflect.get(process, 'binding').call(process, 'tcp_wrap'),
  'loader hooks': () => {
    register(`data:text/javascript,${encodeURIComponent('export {}')}`);
    return 'registered';
  },
  inspector: () => {
    builtin('inspector').open(0);
    return 'opened';
  },
  'inspector session': () => {
    new (builtin('inspector').Session)().connect();
    return 'connected';
  },
  'message to the primary process': ({ host, port }) => asksPrimary({ host, port }),
  'message with a name': ({ name }) => asksPrimary({ host: name, port: 443 }),
  'listening on a name': ({ name }) => {
    // Node.js looks the name up in the process that gets this.
    const message = { cmd: 'NODE_CLUSTER', act: 'queryServer', seq: 9999, index: 0, data: null };
    process.send?.({ ...message, address: name, port: 0, addressType: 4, fd: undefined });
    return silence();
  },
  'listening with UDP': ({ host, port }) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const socket = builtin('dgram').createSocket('udp4');
    socket.on('error', reject);
    socket.bind(0, () =>
      socket.send('out', port, host, (error: Error | null) => (error ? reject(error) : resolve('sent'))),
    );
    return promise;
  },
  'writing outside': () => {
    builtin('fs').writeFileSync(join(root, 'dist', 'hostile.js'), '');
    return 'written';
  },
};

function asksPrimary(target: object): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const id = 1_000_000 + Math.floor(Math.random() * 1e6);
  const onMessage = (message: unknown, socket: unknown) => {
    const { connected: answer } = Object(message);
    if (answer?.id !== id) return;
    process.off('message', onMessage);
    if (answer.error === undefined) resolve(socket);
    else reject(Object.assign(new Error(answer.error.message), { code: answer.error.code }));
  };
  process.on('message', onMessage);
  process.send?.({ connect: { id, target } });
  return promise;
}

async function silence(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, 300));
  throw Object.assign(new Error('nobody answers'), { code: 'SILENCE' });
}

async function outcomeOf(attempt: () => unknown): Promise<string> {
  const late = new Promise<never>((_, reject) =>
    setTimeout(() => reject(Object.assign(new Error('late'), { code: 'SILENCE' })), 1500),
  );
  try {
    return `DONE: ${await Promise.race([Promise.try(attempt), late])}`;
  } catch (error) {
    const { code, cause, name } = Object(error);
    return String(code ?? cause?.code ?? name);
  }
}

/** Tries everything in each call, and says what came of it in a header. */
export const hostile: ModuleFactory<Options> = (host) =>
  defineModule({
    api: 1,
    name: 'hostile',
    summary: 'For tests.',
    status: 'preview',
    protective: false,
    ifBroken: 'skip',
    touches: [],
    options,
    async handle(exchange, next, kit) {
      const outcomes = await Promise.all(
        Object.entries(attempts)
          .filter(([name]) => kit.options.only === '' || kit.options.only.split('|').includes(name))
          .map(async ([name, attempt]) => [name, await outcomeOf(() => attempt(kit.options, kit, host))]),
      );
      kit.setHeader('outcomes', encodeURIComponent(JSON.stringify(Object.fromEntries(outcomes))));
      return next(exchange);
    },
  });

export default hostile;
