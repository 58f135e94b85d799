import { Server } from 'node:net';

/** Preloaded into a program that would listen on every address of the machine: it listens on loopback. */
Server.prototype.listen = new Proxy(Server.prototype.listen, {
  apply(listen, server, args: readonly unknown[]) {
    const [port, , ...rest] = args;
    return Reflect.apply(listen, server, typeof port === 'number' ? [port, '127.0.0.1', ...rest] : args);
  },
});
