import type { HttpServer } from '../http/server.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** A server that listens, until it leaves its address to others or closes. */
export class Listener {
  readonly url: string;
  readonly #server: HttpServer;
  #closing: Promise<void> | undefined;

  static async open(server: HttpServer, { host, port }: ListenAddress): Promise<Listener> {
    const bound = await server.listen(host, port);
    return new Listener(server, `http://${host.includes(':') ? `[${host}]` : host}:${bound}`);
  }

  private constructor(server: HttpServer, url: string) {
    this.#server = server;
    this.url = url;
  }

  /**
   * Leaves new connections to other processes that listen there. Its own are served on, each for one more request, and
   * never closed while one may be on its way.
   */
  stopAccepting(): void {
    this.disableKeepAlive();
    this.#closing ??= this.#server.close();
  }

  /** Leaves, and resolves when no connection is left, or when the time is over. */
  async handOver(graceMs: number): Promise<void> {
    const { promise: enough, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, graceMs);
    this.stopAccepting();
    await Promise.race([this.#closing, enough]);
    clearTimeout(timer);
  }

  /** From now on each connection is for one more request, so that whoever keeps connections makes the next one elsewhere. */
  disableKeepAlive(): void {
    this.#server.disableKeepAlive();
  }

  /** Waits for open calls up to `graceMs`, then gives them up. */
  async close(graceMs: number, giveUp: () => void): Promise<void> {
    const closed = this.#server.close();
    // A connection that becomes idle while we wait would otherwise keep the server open.
    this.#server.closeIdleConnections();
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
