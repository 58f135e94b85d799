import type { CallerAuthenticator } from '../../calls/caller-authenticator.ts';
import type { WebSocketConnection, WebSocketMessage } from '../../http/websocket.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { SessionProtocol, SessionSetup } from '../../kernel/session-protocol.ts';
import type { ApiRequest, WebSocketRoute } from '../api/route.ts';
import { limits } from '../limits.ts';
import { asGatewayError, type RequestContext, reportRefusal } from '../respond.ts';
import { withoutHandshake } from '../sockets/handshake-headers.ts';
import { closeReason } from './closing.ts';
import { Session, type SessionOpening, type SessionParts } from './session.ts';

export interface SessionRouteParts extends SessionParts {
  readonly callers: Pick<CallerAuthenticator, 'identify' | 'identifyCurrent'>;
  readonly idleMs: number;
  readonly onRefused?: RequestContext['onRefused'];
}

/** The open sessions of a process, and the routes that open them. */
export class Sessions {
  readonly #parts: SessionRouteParts;
  readonly #open = new Set<Session>();

  constructor(parts: SessionRouteParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Responses that run or are reserved. */
  get openCalls(): number {
    let calls = 0;
    for (const session of this.#open) calls += session.openTurns;
    return calls;
  }

  /** Ends all of them. */
  abortAll(): void {
    for (const session of this.#open) session.abort();
  }

  routes(protocols: readonly SessionProtocol[]): readonly WebSocketRoute[] {
    const { messageBytesMax, idleMs } = this.#parts;
    return protocols.flatMap((protocol) =>
      [...protocol.paths, ...(protocol.otherPaths ?? [])].map((path) => ({
        ...(protocol.otherPaths?.includes(path) === true && { hidden: true as const }),
        ...({ kind: 'websocket', method: 'GET', path, summary: protocol.route.summary } as const),
        ...({ tag: 'Inference', access: 'key', messageBytesMax, idleMs } as const),
        accept: (request) => this.#accept(request, protocol, path),
      })),
    );
  }

  async #accept({ id, headers, query, remoteAddress }: ApiRequest, protocol: SessionProtocol, path: string) {
    const handshake = protocol.readHandshake(headers, query);
    const identity = await this.#parts.callers.identify(handshake.headers, remoteAddress);
    const named = handshake.headers.some((name, at) => at % 2 === 0 && /^x-weir-conversation$/i.test(name));
    const opening: SessionOpening = {
      ...{ protocol, identity, query, path },
      // The log shows the responses of a session together.
      headers: [...withoutHandshake(handshake.headers), ...(named ? [] : ['x-weir-conversation', id])],
    };
    const { accountId } = identity;
    const { protocol: subprotocol, setup } = handshake;
    if (setup === undefined)
      return {
        ...{ accountId, protocol: subprotocol },
        serve: (client: WebSocketConnection) => this.#serveAfterSetup(client, opening),
      };
    const session = await this.#openSession(opening, setup);
    return {
      ...{ accountId, protocol: subprotocol },
      serve: (client: WebSocketConnection) => this.#serve(session, client),
      abandon: () => void session.abandon().finally(() => this.#open.delete(session)),
    };
  }

  async #openSession(opening: SessionOpening, setup: SessionSetup): Promise<Session> {
    const session = new Session(this.#parts, opening, setup);
    this.#open.add(session);
    try {
      await session.open();
    } catch (refusal) {
      this.#open.delete(session);
      throw refusal;
    }
    return session;
  }

  async #serve(session: Session, client: WebSocketConnection, received?: WebSocketMessage): Promise<void> {
    try {
      await session.serve(client, received);
    } finally {
      this.#open.delete(session);
    }
  }

  /** The first message says what the session is for. */
  async #serveAfterSetup(client: WebSocketConnection, opening: SessionOpening): Promise<void> {
    const { protocol } = opening;
    const late = setTimeout(
      () => client.close(protocol.closeCodeOf(noSetupError()), noSetupError().message),
      limits.session.setupMs,
    ).unref();
    try {
      const { done, value: message } = await client.next();
      clearTimeout(late);
      if (done === true) return;
      const setup = protocol.readSetup?.(message.data);
      if (setup === undefined) throw noSetupError();
      const session = await this.#openSession(opening, setup);
      if (client.isClosed) await session.abandon().finally(() => this.#open.delete(session));
      else await this.#serve(session, client, message);
    } catch (thrown) {
      const error = asGatewayError(thrown);
      if (error.code === 'internal') throw thrown;
      this.#refuse(client, opening, error);
    } finally {
      clearTimeout(late);
    }
  }

  #refuse(client: WebSocketConnection, opening: SessionOpening, error: GatewayError): void {
    const { protocol, identity, headers } = opening;
    const { requestId, onRefused } = this.#parts;
    const { accountId, key } = identity;
    const context = {
      id: requestId(),
      path: opening.path,
      query: '',
      clientAddress: '',
      cors: [],
      onRefused,
    };
    reportRefusal(error, { ...context, accountId, keyId: key?.keyId }, headers);
    client.close(protocol.closeCodeOf(error), closeReason(error.message));
  }
}

function noSetupError(): GatewayError {
  return new GatewayError('invalid_request', 'the first message must be a setup that names a model');
}
