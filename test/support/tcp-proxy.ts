import { once } from 'node:events';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { freePort } from '../../scripts/test-servers/server-process.ts';
import { cleanUp } from './clean-up.ts';

interface Target {
  readonly host: string;
  readonly port: number;
}

/** Stands between a client and a server, and can be as bad as networks are. */
export class TcpProxy {
  /** All that clients said, and all that the server answered. */
  asked = '';
  answered = '';
  /** Connections that were ever made. */
  connections = 0;
  /** Said to whoever sends something, instead of passing it on. */
  reply: string | undefined;
  /** How long answers of the server are held back. */
  delayMs = 0;
  readonly #target: Target;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  readonly #port: number;
  #silent = false;

  /** One that ends with its test, and the address that leads through it. */
  static async to(t: TestContext, url: string): Promise<{ readonly proxy: TcpProxy; readonly url: string }> {
    const address = new URL(url);
    // Nobody else gets it while it is stopped.
    const port = await freePort();
    const proxy = new TcpProxy({ host: address.hostname, port: Number(address.port) }, port);
    await proxy.start();
    cleanUp(t, () => proxy.stop());
    address.host = `127.0.0.1:${port}`;
    return { proxy, url: address.href };
  }

  private constructor(target: Target, port: number) {
    this.#target = target;
    this.#port = port;
  }

  /** On the same port as before. */
  async start(): Promise<void> {
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#join(client));
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Breaks all connections and takes no new ones. */
  stop(): void {
    this.#server?.close();
    this.drop();
  }

  drop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Passes nothing on for now, as if the server hung. */
  silence(): void {
    this.#silent = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** What was held back arrives late. */
  speak(): void {
    this.#silent = false;
    for (const socket of this.#sockets) socket.resume();
  }

  #join(client: Socket): void {
    this.connections++;
    const server = dial({ ...this.#target, allowHalfOpen: true });
    client.on('data', (bytes) => {
      this.asked += bytes.toString('latin1');
      if (this.reply === undefined) server.write(bytes);
      else client.write(this.reply);
    });
    server.on('data', (bytes) => {
      this.answered += bytes.toString('latin1');
      if (this.delayMs > 0) setTimeout(() => client.write(bytes), this.delayMs);
      else client.write(bytes);
    });
    this.#tie(client, server);
    this.#tie(server, client);
  }

  #tie(one: Socket, other: Socket): void {
    this.#sockets.add(one);
    if (this.#silent) one.pause();
    one.on('end', () => other.end());
    one.on('error', () => undefined);
    one.on('close', () => {
      this.#sockets.delete(one);
      if (!this.#silent) other.end();
    });
  }
}
