import type { Worker } from 'node:cluster';
import { lookup } from 'node:dns';
import { connect, isIP, type Socket } from 'node:net';
import { EgressError } from '../../egress/egress-error.ts';
import { limits as egressLimits } from '../../egress/limits.ts';
import { isPublicAddress } from '../../egress/public-address.ts';
import { privateAddressError, publicLookup } from '../../egress/public-lookup.ts';
import type { ConnectionTarget } from '../../lib/late-socket.ts';
import type { Log } from '../../telemetry/log.ts';
import { limits } from '../limits.ts';
import type { AllowedTargets } from './allowed-targets.ts';
import { type ConnectionAnswer, readConnectionRequest } from './messages.ts';

interface ConnectorParts {
  readonly allowed: AllowedTargets;
  /** Whether addresses that the operator did not set must be public: in cloud mode. */
  readonly isPublicOnly: boolean;
  readonly log: Pick<Log, 'error'>;
}

/** Opens the connections of workers that may not do so themselves, and hands them over. Runs in the primary process. */
export class Connector {
  readonly #parts: ConnectorParts;
  /** Targets whose refusal is logged. */
  readonly #refused = new Set<string>();

  constructor(parts: ConnectorParts) {
    this.#parts = parts;
  }

  serve(worker: Worker): void {
    let pending = 0;
    worker.on('message', (message: unknown) => {
      const request = readConnectionRequest(message);
      if (request === undefined) return;
      const { id, target } = request;
      const answer = (connected: ConnectionAnswer, socket?: Socket) =>
        void worker.send({ connected }, socket, (error: Error | null) => {
          if (error !== null) socket?.destroy();
        });
      const fail = (error: Error) => {
        const code: unknown = Reflect.get(error, 'code');
        answer({ id, error: { message: error.message, code: String(code ?? 'ECONNREFUSED') } });
      };
      if (pending >= limits.connectionsPendingMax) return fail(new Error('too many connections are opened'));
      pending++;
      void this.#open(target)
        .then((socket) => answer({ id }, socket), fail)
        .finally(() => pending--);
    });
  }

  async #open(target: ConnectionTarget): Promise<Socket> {
    const reach = this.#parts.allowed.reachOf(target);
    if (reach === undefined) throw this.#refuse(target);
    const isPublicOnly = this.#parts.isPublicOnly && reach === 'public';
    if (isPublicOnly && 'host' in target && isIP(target.host) !== 0 && !isPublicAddress(target.host))
      throw privateAddressError(target.host);
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    const socket = connect({ ...target, ...(isPublicOnly && { lookup: publicLookup(lookup) }) });
    // What the server sends is for the worker.
    socket.pause();
    socket.setTimeout(egressLimits.connectTimeoutMs, () =>
      socket.destroy(Object.assign(new Error('connecting took too long'), { code: 'ETIMEDOUT' })),
    );
    socket.once('connect', () => {
      socket.setTimeout(0);
      resolve(socket);
    });
    socket.on('error', reject);
    return promise;
  }

  #refuse(target: ConnectionTarget): EgressError {
    const name = 'path' in target ? target.path : `${target.host}:${target.port}`;
    const err = new EgressError(
      'EGRESS_AIRGAP',
      `WEIR_AIRGAP is on: no connection to ${name.slice(0, 200)} is made`,
    );
    if (!this.#refused.has(name) && this.#refused.size < egressLimits.destinationsMax) {
      this.#refused.add(name);
      this.#parts.log.error({ err }, 'refused an outbound connection; logged once for each host');
    }
    return err;
  }
}
