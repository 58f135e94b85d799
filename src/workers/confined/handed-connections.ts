import type { Worker } from 'node:cluster';
import net, { type NetConnectOpts, type Socket } from 'node:net';
import tls, { type ConnectionOptions } from 'node:tls';
import { limits as egressLimits } from '../../egress/limits.ts';
import { LateSocket, type OpenSocket } from '../../lib/late-socket.ts';
import { type ConnectionRequest, readConnectionAnswer } from './messages.ts';

/** Gets its connections from the primary process. Runs in a worker that may not connect. */
export function openHandedConnections(worker: Worker): OpenSocket {
  const pending = new Map<number, PromiseWithResolvers<Socket>>();
  let lastId = 0;
  worker.on('message', (message: unknown, socket: unknown) => {
    const answer = readConnectionAnswer(message);
    if (answer === undefined) return;
    const waiting = pending.get(answer.id);
    pending.delete(answer.id);
    if (socket instanceof net.Socket && waiting !== undefined) waiting.resolve(socket);
    else {
      if (socket instanceof net.Socket) socket.destroy();
      const { message: text = 'the connection was not handed over', code = 'ECONNRESET' } =
        answer.error ?? {};
      waiting?.reject(Object.assign(new Error(text), { code }));
    }
  });
  return (target) => {
    const id = ++lastId;
    const opened = Promise.withResolvers<Socket>();
    pending.set(id, opened);
    // The primary process gives up before.
    const timer = setTimeout(() => {
      pending.delete(id);
      opened.reject(Object.assign(new Error('connecting took too long'), { code: 'ETIMEDOUT' }));
    }, 2 * egressLimits.connectTimeoutMs).unref();
    const connect: ConnectionRequest = { id, target };
    worker.send({ connect });
    return opened.promise.finally(() => clearTimeout(timer));
  };
}

interface LateOptions {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly path?: string | undefined;
}

/** For the client of Redis, which connects by itself with these two functions. */
export function replaceConnect(openSocket: OpenSocket): void {
  const connectTls = tls.connect;
  const late = (options: NetConnectOpts | ConnectionOptions) => {
    const { host = 'localhost', port = 0, path }: LateOptions = { ...options };
    const socket = new LateSocket(openSocket);
    return path === undefined ? socket.connect(port, host) : socket.connect(path);
  };
  Object.assign(net, { createConnection: late });
  Object.assign(tls, {
    connect: (options: ConnectionOptions, ...more: readonly unknown[]) =>
      Reflect.apply(connectTls, tls, [
        options.socket === undefined ? { ...options, socket: late(options) } : options,
        ...more,
      ]),
  });
}
