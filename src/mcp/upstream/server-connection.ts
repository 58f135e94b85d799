import type { JsonObject } from '../../lib/json.ts';

export type ListName = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

/**
 * A connection to an MCP server, whatever its transport and its era. Methods, parameters and results are those of revision
 * 2026-07-28; for a server of an earlier era they are translated. What a server sends is bounded and checked.
 */
export interface ServerConnection {
  /** What the server says of itself. */
  describe(options: RequestOptions): Promise<ServerDescription>;
  /** All pages of a list, at most as many items as `limits` allow. Empty if the server lacks the capability. */
  list(list: ListName, options: RequestOptions): Promise<ServerList>;
  /** Any request about one thing: `tools/call`, `prompts/get`, `resources/read`, `completion/complete`. */
  request(method: string, parameters: JsonObject, options: RequestOptions): Promise<JsonObject>;
  /** Changes of lists and of resources, until the signal aborts. */
  listen(subscription: Subscription, options: ListenOptions): Promise<void>;
  close(): Promise<void>;
}

export interface ServerDescription {
  readonly protocolVersion: string;
  readonly era: 'sessions' | 'stateless';
  readonly serverInfo: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions?: string;
}

export interface ServerList {
  readonly items: readonly JsonObject[];
  /** For how long the list may be cached; 0 if the server says nothing. */
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
  /** Items that are not in the list because they break a rule, in words. */
  readonly leftOut: readonly string[];
}

export interface RequestOptions {
  /** Aborting cancels the request at the server. */
  readonly signal: AbortSignal;
  /** `_meta` of the client's request, without what belongs to its connection: no progress token, no subscription id. */
  readonly meta?: JsonObject;
  /** What the client can do for the server, such as `elicitation`; the server is told no more. */
  readonly clientCapabilities?: JsonObject;
  /** `notifications/progress` and `notifications/message` of this request, as `{ method, params }`. The progress token in them is the gateway's. */
  onNotification?(notification: JsonObject): void;
}

export interface Subscription {
  readonly lists: readonly ListName[];
  readonly resources: readonly string[];
}

export interface ListenOptions {
  readonly signal: AbortSignal;
  onNotification(notification: JsonObject): void;
}

/** How a request proves who makes it. */
export type UpstreamCredential =
  | { readonly kind: 'none' }
  /** The headers that are stored with the server, which all callers share. */
  | { readonly kind: 'shared' }
  /** A person's own access token. */
  | {
      readonly kind: 'person';
      readonly personId: string;
      /** For one request. Rejects with an `AuthorizationRequired` if the person has to authorize the gateway first. */
      accessToken(): Promise<string>;
      /**
       * The server has rejected the token with 401, or with 403 and this `www-authenticate`. Resolves to whether `accessToken` has another one,
       * so that the request is worth repeating once. Rejects with an `AuthorizationRequired` if the person has to consent.
       */
      onRejected(token: string, challenge: string | undefined): Promise<boolean>;
    };
