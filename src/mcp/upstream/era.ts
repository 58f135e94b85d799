import type { JsonObject } from '../../lib/json.ts';
import type { ListenOptions, RequestOptions, ServerDescription, Subscription } from './server-connection.ts';

/** How a server is spoken to. Methods, parameters and results are those of revision 2026-07-28. */
export interface Era {
  readonly description: ServerDescription;
  request(method: string, params: JsonObject, options: EraRequestOptions): Promise<JsonObject>;
  /** Ends when the server ends it. */
  listen(subscription: Subscription, options: ListenOptions & { onOpen(): void }): Promise<void>;
  close(): Promise<void>;
}

export interface EraRequestOptions extends RequestOptions {
  /** Headers for the parameters of a tool that its definition names. */
  readonly parameterHeaders?: Readonly<Record<string, string>>;
}

export const statelessVersion = '2026-07-28';
/** Newest first; a server may choose any of these. */
export const sessionVersions: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/** Names of fields in `_meta`. */
export const metaNames = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** How the gateway introduces itself. */
export interface ClientIdentity extends JsonObject {
  readonly name: string;
  readonly version: string;
}

/** Numbers of requests, which no two requests of a connection share. */
export class RequestNumbers {
  #last = 0;

  next(): number {
    return ++this.#last;
  }
}
