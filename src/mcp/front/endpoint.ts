import { GatewayError } from '../../kernel/errors.ts';
import type { McpCaller } from '../../kernel/ports/mcp.ts';
import { type HeaderList, headerOf } from '../../lib/headers.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { McpCatalog } from '../catalog/catalog.ts';
import type { CatalogView } from '../catalog/catalog-view.ts';
import { EventStream, streamHeaders } from './event-stream.ts';
import { errorText, type Message, parseMessage, type RequestMessage, resultText } from './json-rpc.ts';
import { limits } from './limits.ts';
import { Methods } from './methods.ts';
import { ModernEra } from './modern-era.ts';
import { isModern } from './modern-request.ts';
import { codes, errorAnswer, ProtocolError } from './protocol-error.ts';
import type { RequestStates } from './request-states.ts';
import { SessionEra } from './session-era.ts';
import type { Sessions } from './sessions.ts';
import { StreamCounts } from './stream-counts.ts';

/** An HTTP request of an identified caller. */
export interface EndpointRequest {
  readonly id: string;
  readonly headers: HeaderList;
  readonly caller: McpCaller;
  /** The program that makes the request. */
  readonly client: string | undefined;
  /** The only server whose tools are meant, with their own names. */
  readonly only: string | undefined;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

export interface EndpointAnswer {
  readonly status: number;
  readonly headers?: HeaderList;
  /** JSON; empty for no body. */
  readonly body?: string;
  readonly contentType?: string;
  readonly stream?: AsyncIterable<Uint8Array>;
}

export interface EndpointParts {
  readonly catalog: McpCatalog;
  readonly sessions: Sessions;
  readonly states: RequestStates;
  /** The name and version of the gateway. */
  readonly serverInfo: JsonObject;
  /** Called for errors that are bugs. */
  onBug(id: string, thrown: unknown): void;
}

/** Runs a request. Notifications make its answer a stream. */
export type Run = (stream: EventStream | undefined) => Promise<string>;

/** The MCP endpoint for clients of all revisions since 2025-03-26. */
export class McpEndpoint {
  readonly #parts: EndpointParts;
  readonly #modern: ModernEra;
  readonly #withSessions: SessionEra;
  readonly #requests = new StreamCounts(limits.requestsPerAccountMax, 'requests under way');
  readonly #leaving = new AbortController();

  constructor(parts: EndpointParts) {
    const methods = new Methods(parts.states, parts.serverInfo);
    const shared = {
      methods,
      serverInfo: parts.serverInfo,
      streams: new StreamCounts(limits.streamsPerAccountMax, 'open streams'),
      leaving: this.#leaving.signal,
      respond: (request: EndpointRequest, message: RequestMessage, run: Run) =>
        this.#respond(request, message, run),
    };
    this.#parts = parts;
    this.#modern = new ModernEra(shared);
    this.#withSessions = new SessionEra({ ...shared, sessions: parts.sessions });
  }

  /** Streams of changes end, so that the process can. */
  leave(): void {
    this.#leaving.abort();
  }

  async post(request: EndpointRequest, bytes: Uint8Array): Promise<EndpointAnswer> {
    let message: Message | undefined;
    try {
      checkHeaders(request.headers);
      message = parseMessage(bytes);
      const era = isModern(message, request.headers) ? this.#modern : this.#withSessions;
      return await era.take(request, message, this.#viewFor(request));
    } catch (thrown) {
      return failedAnswer(thrown, message?.kind === 'request' ? message.id : null);
    }
  }

  /** The stream of changes of a session. */
  async get(request: EndpointRequest): Promise<EndpointAnswer> {
    try {
      return await this.#withSessions.open(request, this.#viewFor(request));
    } catch (thrown) {
      return failedAnswer(thrown, null);
    }
  }

  /** Ends a session. */
  async delete(request: EndpointRequest): Promise<EndpointAnswer> {
    try {
      return await this.#withSessions.end(request);
    } catch (thrown) {
      return failedAnswer(thrown, null);
    }
  }

  #viewFor({ caller, only, id, client }: EndpointRequest): CatalogView {
    return this.#parts.catalog.viewFor(caller, { only, origin: { requestId: id, client } });
  }

  /** One JSON document for what ends soon and has nothing to say before, a stream for all else. */
  async #respond(request: EndpointRequest, { id }: RequestMessage, run: Run): Promise<EndpointAnswer> {
    const done = this.#requests.count(request.caller.accountId);
    const stream = acceptsStream(request.headers) ? new EventStream(request.signal) : undefined;
    const answer = run(stream)
      .then(
        (result): EndpointAnswer => ({ status: 200, body: resultText(id, result) }),
        (thrown) => {
          if (!isExpected(thrown)) this.#parts.onBug(request.id, thrown);
          return failedAnswer(isExpected(thrown) ? thrown : internalError(), id);
        },
      )
      .finally(done);
    if (stream === undefined || (await isEndedFirst(answer, stream))) {
      stream?.end();
      return answer;
    }
    void answer.then(({ body }) => {
      if (body !== undefined) stream.send(body);
      stream.end();
    });
    return { status: 200, headers: streamHeaders, contentType: 'text/event-stream', stream: stream.chunks() };
  }
}

async function isEndedFirst(answer: Promise<EndpointAnswer>, stream: EventStream): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => {
    stream.comment();
    resolve(false);
  }, limits.streamAfterMs);
  const isEnded = await Promise.race([answer.then(() => true), stream.started.then(() => false), late]);
  clearTimeout(timer);
  return isEnded;
}

function failedAnswer(thrown: unknown, id: string | number | null): EndpointAnswer {
  const { status, headers, error } = errorAnswer(thrown);
  return { status, headers, body: errorText(id, error) };
}

function isExpected(thrown: unknown): boolean {
  try {
    errorAnswer(thrown);
    return true;
  } catch {
    return false;
  }
}

function internalError(): ProtocolError {
  return new ProtocolError(codes.internal, 'a bug in the gateway; its log says more', { status: 500 });
}

function checkHeaders(headers: HeaderList): void {
  const type = headerOf(headers, 'content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new GatewayError(
      'unsupported_media_type',
      'send JSON, with the header content-type: application/json',
    );
}

/** A client that takes JSON only gets no notifications. */
function acceptsStream(headers: HeaderList): boolean {
  const accept = headerOf(headers, 'accept')?.toLowerCase() ?? '*/*';
  return accept.includes('text/event-stream') || accept.includes('*/*');
}
