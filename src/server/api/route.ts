import type { z } from 'zod';
import type { Right } from '../../accounts/rights.ts';
import type { AuditEvent } from '../../audit/events.ts';
import type { AuditFacts, AuditRecord } from '../../audit/facts.ts';
import type { WebSocketConnection } from '../../http/websocket.ts';
import type { RelayRoute } from '../../kernel/relay.ts';
import type { WireFormat } from '../../kernel/wire-format.ts';
import type { HeaderList } from '../../lib/headers.ts';
import type { ErrorFormat } from '../respond.ts';
import type { AccessChecks, AccessName } from './access.ts';

export type { ErrorFormat } from '../respond.ts';

/** What the audit log has of a request. Whatever may change something names its event, or says that there is none. */
export type AuditedMethod =
  | { readonly method: 'GET'; readonly audit?: AuditEvent }
  | { readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'; readonly audit: AuditEvent | 'none' };

/** Where a request has the project in which a role is enough: named in the query or the body, or that of the thing in the path. */
export type ProjectPlace = 'query' | 'path' | 'body';

/** One of Weir's own routes: JSON in, JSON out. The entry both serves and documents it. */
export type ApiRoute = RouteDescription & AuditedMethod;

export interface RouteDescription {
  readonly kind: 'own';
  /** Parameters as `:name`; the rest of the path, slashes included, as `*` or `*name`. */
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  /** Required access, for routes made by `defineRoute`. */
  readonly access?: AccessName;
  /** The right that the caller needs in their account. */
  readonly right?: Right | undefined;
  readonly project?: ProjectPlace;
  /** Query parameters by name: a description or a schema. */
  readonly query?: Readonly<Record<string, string | z.ZodType>>;
  /** Whether another server makes the query, and may add names that are ignored. */
  readonly hasForeignQuery?: true;
  readonly body?: BodyDescription;
  /** Left out of the OpenAPI description; for routes that only reject. */
  readonly hidden?: true;
  /** Overrides the default body limit. */
  readonly bodyBytesMax?: number;
  /** Responses by status. */
  readonly responses: Readonly<Record<number, ResponseDescription>>;
  /** The wire format of its errors, if not Weir's own. */
  errorFormat?(headers: HeaderList): ErrorFormat;
  /** The event in the audit log when a password or a token is wrong. */
  readonly failureEvent?: AuditEvent;
  handle(request: ApiRequest): ApiResponse | Promise<ApiResponse>;
}

/** A route of the data plane, matched before all others. */
export interface InferenceRoute {
  readonly kind: 'inference';
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly wire: WireFormat;
  /** The header that tells its requests from those of another route at the same path. */
  readonly header?: string;
  /** The price, for routes that are paid per call. */
  readonly payment?: PaymentInfo;
  /** The kind of body of a relay; JSON by default. */
  readonly relayBody?: RelayRoute['body'];
  /** Overrides the body schema of the wire format. */
  readonly body?: BodyDescription;
  /** Overrides the responses of the wire format. */
  readonly responses?: Readonly<Record<number, ResponseDescription>>;
}

/** A path whose connections are upgraded to WebSockets. */
export interface WebSocketRoute {
  readonly kind: 'websocket';
  readonly method: 'GET';
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly access: AccessName;
  /** The right that the caller needs in their account. */
  readonly right?: Right | undefined;
  /** Left out of the OpenAPI description; for another spelling of a path. */
  readonly hidden?: true;
  /** Overrides the default size limit of messages. */
  readonly messageBytesMax?: number;
  /** Overrides how long a connection may be without a message. */
  readonly idleMs?: number;
  /** Runs before the upgrade: a rejection is an ordinary HTTP response. */
  accept(request: ApiRequest): Promise<AcceptedWebSocket>;
}

interface AcceptedWebSocket {
  /** The account whose WebSockets are counted. */
  readonly accountId: string;
  /** One of the subprotocols that the client offers. */
  readonly protocol?: string | undefined;
  /** Serves the WebSocket, which is closed afterwards. */
  serve(webSocket: WebSocketConnection): Promise<void>;
  /** Called in place of `serve` if the client has left, or there is no room. */
  abandon?(): void;
}

export type Route = ApiRoute | InferenceRoute | WebSocketRoute;

/** The `x-payment-info` extension that wallets read from an OpenAPI description. */
interface PaymentInfo {
  readonly offers: readonly {
    readonly method: string;
    readonly intent: string;
    readonly amount: string;
    readonly currency: string;
  }[];
}

export interface BodyDescription {
  /** Undefined for a body that isn't JSON. */
  readonly schema?: z.ZodType;
  /** `application/json` by default. */
  readonly contentType?: string;
  /** Whether a request without a body is an error. */
  readonly required: boolean;
}

export interface ResponseDescription {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** `application/json` by default. */
  readonly contentType?: string;
  /** Additional headers and their descriptions, by name. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiRequest {
  readonly id: string;
  readonly method: string;
  readonly headers: HeaderList;
  /** Empty, or the query string with its question mark. */
  readonly query: string;
  /** Decoded path parameters; the rest of the path is `*`. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
  readonly remoteAddress: string;
  readonly access: AccessChecks;
  /** To be called before anything is changed, with what is known: the change then has an entry in the audit log, come what may. */
  announceChange(facts: AuditFacts): Promise<void>;
  readBody(): Promise<Uint8Array>;
  /** The body, chunk by chunk: the connection pauses while the route is busy. Ends with an error after `bytesMax`. */
  streamBody(bytesMax: number): AsyncIterable<Uint8Array>;
  /** Aborted when the client leaves. */
  signal(): AbortSignal;
}

export interface ApiResponse {
  readonly status?: number;
  readonly headers?: HeaderList;
  /** An object is sent as JSON, a string unchanged. */
  readonly body?: object | string;
  readonly contentType?: string;
  /**
   * Sent instead of a body as fast as the client reads. `return` is called if the client leaves. An error before the first
   * chunk is answered with its status; a later one breaks the connection.
   */
  readonly stream?: AsyncIterable<Uint8Array>;
  /** What the audit log says besides the event of the route; `none` if nothing has happened. */
  readonly audit?: Partial<AuditRecord> | 'none';
}
