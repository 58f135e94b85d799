import { randomBytes } from 'node:crypto';
import { GatewayError } from '../../kernel/errors.ts';
import { type HeaderList, headerOf } from '../../lib/headers.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { CatalogView } from '../catalog/catalog-view.ts';
import { listNames } from '../catalog/server-catalog.ts';
import type { EndpointAnswer, EndpointRequest } from './endpoint.ts';
import { EventStream, streamHeaders } from './event-stream.ts';
import { forwardNotification, logLevels } from './forward-notification.ts';
import { type Message, metaOf, type RequestId, type RequestMessage } from './json-rpc.ts';
import { limits } from './limits.ts';
import { isViewMethod, unknownMethod } from './methods.ts';
import { capabilities, type EraParts } from './modern-era.ts';
import { sessionVersions } from './modern-request.ts';
import { codes, ProtocolError } from './protocol-error.ts';
import { SessionMail } from './session-mail.ts';
import type { Session, SessionState, Sessions } from './sessions.ts';

export interface SessionEraParts extends EraParts {
  readonly sessions: Sessions;
}

/** Revisions 2025-03-26 to 2025-11-25: clients begin a session, and servers may ask them while a request is under way. */
export class SessionEra {
  readonly #parts: SessionEraParts;
  readonly #mail: SessionMail;
  /** The stream of changes of each session. */
  readonly #streams = new Map<string, EventStream>();

  constructor(parts: SessionEraParts) {
    this.#parts = parts;
    this.#mail = new SessionMail(parts.sessions);
  }

  async take(request: EndpointRequest, message: Message, view: CatalogView): Promise<EndpointAnswer> {
    const { respond } = this.#parts;
    if (message.kind === 'request' && message.method === 'initialize')
      return this.#begin(request, message, view);
    const session = await this.#require(request);
    if (message.kind === 'response') {
      await this.#mail.deliver(session, answerName(message.id), message.message);
      return { status: 202 };
    }
    if (message.kind === 'notification') {
      const { requestId } = message.params;
      if (
        message.method === 'notifications/cancelled' &&
        (typeof requestId === 'string' || typeof requestId === 'number')
      )
        await this.#mail.deliver(session, cancellationName(requestId), {});
      return { status: 202 };
    }
    const { method, params } = message;
    switch (method) {
      case 'ping':
        return respond(request, message, async () => '{}');
      case 'logging/setLevel': {
        const { level } = params;
        if (typeof level !== 'string' || !logLevels.includes(level))
          throw invalid('params.level is not a level of the log');
        await this.#parts.sessions.change(session, { logLevel: level });
        return respond(request, message, async () => '{}');
      }
      case 'resources/subscribe':
        return respond(request, message, () => this.#follow(session, params.uri, view));
      case 'resources/unsubscribe':
        return respond(request, message, async () => {
          const resources = session.state.resources.filter((uri) => uri !== params.uri);
          await this.#parts.sessions.change(session, { resources });
          return '{}';
        });
      default:
        if (!isViewMethod(method)) throw unknownMethod(method);
        return this.#call(request, { session, message, view });
    }
  }

  /** The stream of changes of a session. A second one takes the place of the first. */
  async open(request: EndpointRequest, view: CatalogView): Promise<EndpointAnswer> {
    const { streams, leaving } = this.#parts;
    const session = await this.#require(request);
    const done = streams.count(request.caller.accountId);
    this.#streams.get(session.id)?.end();
    const stream = new EventStream(request.signal);
    this.#streams.set(session.id, stream);
    stream.comment();
    void this.#tellChanges(session, stream, AbortSignal.any([request.signal, leaving, stream.ended]), view)
      .catch(() => undefined)
      .finally(() => {
        done();
        stream.end();
        if (this.#streams.get(session.id) === stream) this.#streams.delete(session.id);
      });
    return { status: 200, headers: streamHeaders, contentType: 'text/event-stream', stream: stream.chunks() };
  }

  async end(request: EndpointRequest): Promise<EndpointAnswer> {
    const session = await this.#require(request);
    await this.#parts.sessions.end(session);
    this.#streams.get(session.id)?.end();
    return { status: 204 };
  }

  async #begin(
    request: EndpointRequest,
    message: RequestMessage,
    view: CatalogView,
  ): Promise<EndpointAnswer> {
    const { sessions, serverInfo, respond } = this.#parts;
    const { protocolVersion: asked, capabilities: can, clientInfo } = message.params;
    if (typeof asked !== 'string') throw invalid('params.protocolVersion must be a text');
    const client = {
      protocolVersion: sessionVersions.find((version) => version === asked) ?? sessionVersions[0] ?? '',
      capabilities: isJsonObject(can) ? can : {},
      clientInfo: isJsonObject(clientInfo) ? clientInfo : {},
    };
    if (JSON.stringify(client).length > limits.clientBytesMax)
      throw invalid(`capabilities and clientInfo have more than ${limits.clientBytesMax} bytes`);
    const { accountId, keyId } = request.caller;
    const { id } = await sessions.begin({ accountId, keyId }, client);
    const answer = await respond(request, message, async () => {
      const only = await view.describe({ signal: request.signal });
      return JSON.stringify({
        protocolVersion: client.protocolVersion,
        capabilities: { ...capabilities, logging: {} },
        serverInfo,
        ...(only?.instructions !== undefined && { instructions: only.instructions }),
      });
    });
    return { ...answer, headers: [...(answer.headers ?? []), 'mcp-session-id', id] };
  }

  /** The call goes on if its client's connection breaks: in these revisions, that is no cancellation. */
  #call(request: EndpointRequest, { session, message, view }: SessionCall): Promise<EndpointAnswer> {
    const { methods, respond } = this.#parts;
    const { id, params } = message;
    const { state, owner } = session;
    return respond(request, message, async (stream) => {
      const cancelled = new AbortController();
      const ended = new AbortController();
      void this.#mail
        .receive(session, cancellationName(id), ended.signal)
        .then((mail) => mail !== undefined && cancelled.abort());
      try {
        return await methods.run({
          view,
          message,
          owner,
          capabilities: stream === undefined ? {} : state.capabilities,
          logLevel: state.logLevel,
          signal: cancelled.signal,
          onNotification: forwardNotification(stream, {
            progressToken: metaOf(params).progressToken,
            // Servers decide what to send to a client that has set no level.
            logLevel: state.logLevel ?? 'debug',
          }),
          ask: (requests) => this.#ask(session, requests, { stream, signal: cancelled.signal }),
        });
      } finally {
        ended.abort();
      }
    });
  }

  /** Sends a server's questions as requests to the client, and resolves to the results. */
  async #ask(session: Session, requests: JsonObject, { stream, signal }: Asking): Promise<JsonObject> {
    const answers = Object.entries(requests).map(async ([name, request]) => {
      const { method, params } = isJsonObject(request) ? request : {};
      const id = `weir-${randomBytes(12).toString('base64url')}`;
      const late = AbortSignal.timeout(limits.answerMs);
      const received = this.#mail.receive(session, answerName(id), AbortSignal.any([signal, late]));
      stream?.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      const message = await received;
      if (message === undefined)
        throw new GatewayError(
          'upstream_timeout',
          'the client has not answered the question of the server in time',
        );
      if (isJsonObject(message.result)) return [name, message.result];
      // A client that can't show a form declines it; there is no such answer to other questions.
      if (method === 'elicitation/create') return [name, { action: 'cancel' }];
      const reason = isJsonObject(message.error) ? String(message.error.message).slice(0, 200) : 'no result';
      throw new GatewayError('invalid_request', `the client rejected ${String(method)}: ${reason}`);
    });
    return Object.fromEntries(await Promise.all(answers));
  }

  async #follow(session: Session, uri: unknown, view: CatalogView): Promise<string> {
    const { resources } = session.state;
    if (typeof uri !== 'string') throw invalid('params.uri must be a text');
    if (!(await view.mayRead(uri)))
      throw new GatewayError('not_found', `there is no resource ${JSON.stringify(uri.slice(0, 200))}`);
    if (resources.length >= limits.subscriptionsMax)
      throw invalid(`a session follows up to ${limits.subscriptionsMax} resources`);
    if (!resources.includes(uri))
      await this.#parts.sessions.change(session, { resources: [...resources, uri] });
    return '{}';
  }

  /** Until the session ends, which another replica may have done. */
  async #tellChanges(
    session: Session,
    stream: EventStream,
    signal: AbortSignal,
    view: CatalogView,
  ): Promise<void> {
    let state: SessionState | undefined = session.state;
    while (state !== undefined && !signal.aborted) {
      const { resources } = state;
      const changed = new AbortController();
      const listened = view.listen({
        lists: listNames,
        resources,
        signal: AbortSignal.any([signal, changed.signal]),
        onNotification: (notification) => stream.send(JSON.stringify({ jsonrpc: '2.0', ...notification })),
      });
      const check = setInterval(() => {
        this.#parts.sessions.find(session.id, session.owner).then(
          (found) => {
            state = found?.state;
            if (state?.resources.join('\n') !== resources.join('\n')) changed.abort();
          },
          // The store is away: the stream stays open.
          () => undefined,
        );
      }, limits.sessionCheckMs).unref();
      await listened.finally(() => clearInterval(check));
    }
  }

  async #require({ headers, caller: { accountId, keyId } }: EndpointRequest): Promise<Session> {
    const id = headerOf(headers, 'mcp-session-id');
    if (id === undefined)
      throw new ProtocolError(
        codes.invalidRequest,
        'begin a session with initialize, and send its Mcp-Session-Id',
      );
    checkVersion(headers);
    const session = await this.#parts.sessions.find(id, { accountId, keyId });
    if (session !== undefined) return session;
    throw new ProtocolError(codes.invalidRequest, 'this session has ended; begin another with initialize', {
      status: 404,
    });
  }
}

interface SessionCall {
  readonly session: Session;
  readonly message: RequestMessage;
  readonly view: CatalogView;
}

interface Asking {
  readonly stream: EventStream | undefined;
  readonly signal: AbortSignal;
}

function checkVersion(headers: HeaderList): void {
  const version = headerOf(headers, 'mcp-protocol-version');
  if (version !== undefined && !sessionVersions.includes(version))
    throw new ProtocolError(
      codes.invalidRequest,
      `the protocol version ${version.slice(0, 40)} is not supported`,
    );
}

function answerName(id: RequestId): string {
  return `answer ${JSON.stringify(id)}`;
}

function cancellationName(id: RequestId): string {
  return `cancellation ${JSON.stringify(id)}`;
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(codes.invalidParams, message, { status: 200 });
}
