import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A server that listens, until it leaves its address to others or closes. */
export class Listener {
  readonly url: string;
  readonly #server: Server;
  #keepsNone = false;

  static open(server: Server, { host, port }: Address): Promise<Listener> {
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        const address = server.address();
        const bound = typeof address === 'object' && address !== null ? address.port : port;
        resolve(new Listener(server, `http://${host.includes(':') ? `[${host}]` : host}:${bound}`));
      });
    });
  }

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  /**
   * Leaves new connections to other processes that listen there. Its own are served on, each for one more request, and
   * never closed while one may be on its way. Resolves when none is left, or when the time is over.
   */
  async handOver(graceMs: number): Promise<void> {
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, graceMs);
    this.keepNoConnections();
    // What an HTTP server adds to this is the end of its idle connections.
    NetServer.prototype.close.call(this.#server, () => resolve());
    await gone;
    clearTimeout(timer);
  }

  /** From now on each connection is for one more request, so that whoever keeps connections makes the next one elsewhere. */
  keepNoConnections(): void {
    if (this.#keepsNone) return;
    this.#keepsNone = true;
    this.#server.prependListener('request', (_, res) => {
      res.shouldKeepAlive = false;
    });
  }

  /** Waits for open calls up to `graceMs`, then gives them up. */
  async close(graceMs: number, giveUp: () => void): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // A connection that becomes idle while we wait would otherwise keep the server open.
    const sweep = setInterval(() => this.#server.closeIdleConnections(), 50);
    const timer = setTimeout(() => {
      giveUp();
      this.#server.closeAllConnections();
    }, graceMs);
    await closed;
    clearTimeout(timer);
    clearInterval(sweep);
  }
}
