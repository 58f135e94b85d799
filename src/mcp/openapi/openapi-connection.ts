import type { EgressFetch } from '../../kernel/ports/fetch.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { nearestName } from '../../lib/nearest-name.ts';
import { RpcError } from '../upstream/rpc-error.ts';
import type {
  ListenOptions,
  ListName,
  RequestOptions,
  ServerConnection,
  ServerDescription,
  ServerList,
  Subscription,
} from '../upstream/server-connection.ts';
import { callApi } from './call-api.ts';
import { type ApiDefinition, type CompiledApi, compileApi, textIn } from './compile-api.ts';
import { limits } from './limits.ts';

interface OpenApiConnectionParts {
  /** The name of the server, for errors. */
  readonly name: string;
  readonly definition: ApiDefinition;
  readonly fetch: EgressFetch;
  readonly timeoutMs: number;
  /** By names of headers, or of security schemes of the document. */
  secrets(): Promise<Readonly<Record<string, string>>>;
}

/** An HTTP API that an OpenAPI document describes, as an MCP server with tools. */
export class OpenApiConnection implements ServerConnection {
  readonly #parts: OpenApiConnectionParts;
  #compiled: CompiledApi | undefined;

  constructor(parts: OpenApiConnectionParts) {
    this.#parts = parts;
  }

  async describe(_options: RequestOptions): Promise<ServerDescription> {
    const { document } = this.#parts.definition;
    const { title, version } = this.#api().report;
    const { description } = isJsonObject(document.info) ? document.info : {};
    const instructions = textIn(description, limits.instructionsCharactersMax);
    return {
      protocolVersion: '2026-07-28',
      era: 'stateless',
      serverInfo: { name: title, version },
      capabilities: { tools: {} },
      ...(instructions !== '' && { instructions }),
    };
  }

  async list(list: ListName, _options: RequestOptions): Promise<ServerList> {
    const items = list === 'tools' ? [...this.#api().tools.values()].map(({ definition }) => definition) : [];
    return { items, ttlMs: limits.listTtlMs, cacheScope: 'public', leftOut: [] };
  }

  async request(method: string, parameters: JsonObject, { signal }: RequestOptions): Promise<JsonObject> {
    const { name: server, fetch, timeoutMs } = this.#parts;
    if (method !== 'tools/call')
      throw new RpcError(server, { code: methodNotFound, message: `an API has no ${method}` });
    const { name, arguments: input = {} } = parameters;
    const { tools, credentials } = this.#api();
    const tool = typeof name === 'string' ? tools.get(name) : undefined;
    if (tool === undefined)
      throw new RpcError(server, { code: invalidParameters, message: unknownTool(name, tools) });
    if (!isJsonObject(input))
      throw new RpcError(server, {
        code: invalidParameters,
        message: 'the arguments of a tool are an object',
      });
    const secrets = credentials.place(await this.#parts.secrets(), tool.schemes);
    return callApi({ tool, input, secrets, fetch, timeoutMs, signal });
  }

  /** The tools of an API change only with its definition, and that is another connection. */
  async listen(_subscription: Subscription, { signal }: ListenOptions): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise;
  }

  async close(): Promise<void> {}

  #api(): CompiledApi {
    this.#compiled ??= compileApi(this.#parts.definition);
    return this.#compiled;
  }
}

const methodNotFound = -32_601;
const invalidParameters = -32_602;

function unknownTool(name: unknown, tools: CompiledApi['tools']): string {
  const written = String(name).slice(0, 100);
  const nearest = nearestName(written, tools.keys());
  return `there is no tool "${written}"${nearest === undefined ? '' : `; did you mean "${nearest}"?`}`;
}
