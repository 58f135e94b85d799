// Loaded before the gateway with --import: writes down every address that the process dials or looks up.
import { Socket as DatagramSocket } from 'node:dgram';
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

const file = process.env.CONNECTIONS_FILE ?? '';

recordCalls(net.Socket.prototype, 'connect', (args) => {
  const [options] = args.flat();
  if (typeof options !== 'object' || options === null) return `connect ${args.join(':')}`;
  const place = 'path' in options && typeof options.path === 'string' ? options.path : undefined;
  const host = 'host' in options ? options.host : 'localhost';
  return `connect ${place ?? `${host}:${'port' in options ? options.port : ''}`}`;
});
recordCalls(DatagramSocket.prototype, 'send', () => 'datagram');
for (const resolver of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype])
  for (const name of Object.getOwnPropertyNames(resolver))
    if (/^(lookup|resolve|reverse)/.test(name)) recordCalls(resolver, name, ([host]) => `${name} ${host}`);
syncBuiltinESMExports();

function recordCalls(owner: object, name: string, describe: (args: readonly unknown[]) => string): void {
  const original: unknown = Reflect.get(owner, name);
  if (typeof original !== 'function') throw new Error(`there is no ${name} to watch`);
  Reflect.set(owner, name, function (this: unknown, ...args: unknown[]) {
    appendFileSync(file, `${describe(args)}\n`);
    return Reflect.apply(original, this, args);
  });
}
