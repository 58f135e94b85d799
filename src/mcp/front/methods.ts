import { GatewayError } from '../../kernel/errors.ts';
import type { HeaderList } from '../../lib/headers.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { AuthorizationRequired } from '../authorization/authorization-required.ts';
import type { CatalogView, MergedList } from '../catalog/catalog-view.ts';
import type { RequestOptions } from '../upstream/server-connection.ts';
import { missingCapabilities } from './input-requests.ts';
import { metaOf, type RequestMessage } from './json-rpc.ts';
import { limits } from './limits.ts';
import { listMethods, listPage } from './list-page.ts';
import { checkArgumentHeaders, metaKeys } from './modern-request.ts';
import { codes, ProtocolError } from './protocol-error.ts';
import type { RequestStates, StateOwner } from './request-states.ts';

/** A request of either era, with what differs between them. */
export interface MethodCall {
  readonly view: CatalogView;
  readonly message: RequestMessage;
  readonly owner: Pick<StateOwner, 'accountId' | 'keyId'>;
  readonly capabilities: JsonObject;
  readonly logLevel: unknown;
  readonly signal: AbortSignal;
  /** Undefined if the client gets one response and nothing before. */
  readonly onNotification?: ((notification: JsonObject) => void) | undefined;
  /** Headers that must agree with the arguments of tools; undefined for clients with sessions. */
  readonly headers?: HeaderList | undefined;
  /** Asks the client for input and resolves to its answers; undefined where the client calls again with them. */
  readonly ask?: ((requests: JsonObject) => Promise<JsonObject>) | undefined;
}

type ViewMethod = (
  view: CatalogView,
  params: JsonObject,
  options: RequestOptions,
  call: MethodCall,
) => Promise<JsonObject>;

/** Requests about one thing. */
const viewMethods: Readonly<Record<string, ViewMethod>> = {
  'tools/call': (view, params, options, { headers }) =>
    view.callTool(params, {
      ...options,
      ...(headers !== undefined && {
        checkTool: (definition: JsonObject) => checkArgumentHeaders(definition, params, headers),
      }),
    }),
  'prompts/get': (view, params, options) => view.getPrompt(params, options),
  'resources/read': (view, params, options) => view.readResource(params, options),
  'completion/complete': (view, params, options) => view.complete(params, options),
};

/** Requests that may ask the client for input. */
const mayAsk: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

export function isViewMethod(method: string): boolean {
  return Object.hasOwn(viewMethods, method) || Object.hasOwn(listMethods, method);
}

/** Runs the methods that both eras have. The result is JSON. */
export class Methods {
  readonly #states: RequestStates;
  readonly #serverInfo: JsonObject;

  constructor(states: RequestStates, serverInfo: JsonObject) {
    this.#states = states;
    this.#serverInfo = serverInfo;
  }

  async run(call: MethodCall): Promise<string> {
    const { method, params } = call.message;
    const list = Object.hasOwn(listMethods, method) ? listMethods[method] : undefined;
    if (list !== undefined)
      return listPage(call.view, list, params.cursor, (merged) => this.#listFields(call, merged));
    const result = await this.#result(call);
    return JSON.stringify(call.ask === undefined ? this.modernResult(result) : sessionResult(result));
  }

  modernResult(result: JsonObject): JsonObject {
    const meta = isJsonObject(result._meta) ? result._meta : {};
    return { resultType: 'complete', ...result, _meta: { ...meta, [metaKeys.server]: this.#serverInfo } };
  }

  async #result(call: MethodCall): Promise<JsonObject> {
    const { message, view, ask, capabilities } = call;
    const method = viewMethods[message.method];
    if (method === undefined) throw unknownMethod(message.method);
    let params = this.#withOwnState(call);
    for (let round = 0; round < limits.inputRoundsMax; round++) {
      const result = await withAuthorizationHint(call, method(view, params, requestOptions(call), call));
      if (result.resultType !== 'input_required') return result;
      const requests = isJsonObject(result.inputRequests) ? result.inputRequests : {};
      const missing = missingCapabilities(requests, capabilities);
      if (missing !== undefined) return cannotAsk(call, missing);
      if (ask === undefined) return this.#withWrappedState(call, result);
      const { requestState: _state, inputResponses: _answers, ...rest } = params;
      const { requestState: state } = result;
      const inputResponses = await ask(requests);
      params = { ...rest, inputResponses, ...(state !== undefined && { requestState: state }) };
    }
    throw new GatewayError(
      'upstream_broken',
      `the server asked for input more than ${limits.inputRoundsMax} times`,
    );
  }

  #withOwnState(call: MethodCall): JsonObject {
    const { params, method } = call.message;
    const { requestState, inputResponses: sent, ...rest } = params;
    const inputResponses = withoutOwnAnswer(sent);
    if (!mayAsk.has(method) || call.ask !== undefined) return rest;
    return {
      ...rest,
      ...(inputResponses !== undefined && { inputResponses }),
      ...(requestState !== undefined && {
        requestState: this.#states.unwrap(requestState, stateOwner(call)),
      }),
    };
  }

  #withWrappedState(call: MethodCall, result: JsonObject): JsonObject {
    const { requestState } = result;
    if (typeof requestState !== 'string') return result;
    if (requestState.length > limits.requestStateBytesMax)
      throw new GatewayError('upstream_broken', 'the requestState of the server is too long');
    return { ...result, requestState: this.#states.wrap(requestState, stateOwner(call)) };
  }

  #listFields({ ask }: MethodCall, { ttlMs, cacheScope, unavailable }: MergedList): string {
    const away = unavailable.length === 0 ? {} : { 'weir/unavailableServers': unavailable };
    if (ask !== undefined) return unavailable.length === 0 ? '' : `,"_meta":${JSON.stringify(away)}`;
    const meta = { ...away, [metaKeys.server]: this.#serverInfo };
    const time = Number.isFinite(ttlMs) ? Math.floor(ttlMs) : 0;
    return `,"resultType":"complete","ttlMs":${time},"cacheScope":"${cacheScope}","_meta":${JSON.stringify(meta)}`;
  }
}

export function unknownMethod(method: string): ProtocolError {
  return new ProtocolError(
    codes.methodNotFound,
    `there is no method ${JSON.stringify(method.slice(0, 100))}`,
    {
      status: 404,
    },
  );
}

function stateOwner({ owner, message: { method, params } }: MethodCall): StateOwner {
  const name = params[method === 'resources/read' ? 'uri' : 'name'];
  return { ...owner, method, name: typeof name === 'string' ? name : '' };
}

function requestOptions(call: MethodCall): RequestOptions {
  const { message, signal, onNotification, capabilities: clientCapabilities, logLevel } = call;
  const { progressToken: _token, ...sent } = metaOf(message.params);
  const own = Object.entries(sent).filter(([name]) => !name.startsWith('io.modelcontextprotocol/'));
  const level = typeof logLevel === 'string' ? { [metaKeys.logLevel]: logLevel } : {};
  const meta = { ...Object.fromEntries(own), ...level };
  const options = { signal, meta, clientCapabilities };
  return onNotification === undefined ? options : { ...options, onNotification };
}

/** What only revision 2026-07-28 has. */
function sessionResult({
  resultType: _type,
  ttlMs: _ttl,
  cacheScope: _scope,
  ...result
}: JsonObject): JsonObject {
  if (!isJsonObject(result._meta)) return result;
  const { [metaKeys.server]: _server, ...meta } = result._meta;
  const { _meta, ...rest } = result;
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
}

/** Agents show results of tools to their users, and hide errors of the protocol. */
async function withAuthorizationHint(
  { message: { method }, capabilities, ask }: MethodCall,
  work: Promise<JsonObject>,
): Promise<JsonObject> {
  try {
    return await work;
  } catch (thrown) {
    if (!(thrown instanceof AuthorizationRequired)) throw thrown;
    const elicitation = elicitationOf(thrown);
    const isOpenedByClient = missingCapabilities({ elicitation }, capabilities) === undefined;
    if (isOpenedByClient && ask !== undefined)
      throw new ProtocolError(codes.urlElicitationRequired, thrown.message, {
        status: 200,
        data: { elicitations: [elicitation.params] },
      });
    if (isOpenedByClient && mayAsk.has(method))
      return { resultType: 'input_required', inputRequests: { [authorizationRequest]: elicitation } };
    if (method === 'tools/call') return failedTool(thrown.message);
    throw thrown;
  }
}

/** The name of the gateway's own question, whose answer no server gets. */
const authorizationRequest = 'weir/authorization';

function elicitationOf({ server, url }: AuthorizationRequired) {
  const message = `Authorize the gateway at the MCP server "${server}"`;
  const params = { mode: 'url', elicitationId: crypto.randomUUID(), url, message };
  return { method: 'elicitation/create', params };
}

/** The answers to the questions of the server. */
function withoutOwnAnswer(inputResponses: unknown): unknown {
  if (!isJsonObject(inputResponses)) return inputResponses;
  const { [authorizationRequest]: _own, ...ofServer } = inputResponses;
  return Object.keys(ofServer).length === 0 ? undefined : ofServer;
}

function cannotAsk({ message, ask }: MethodCall, missing: JsonObject): JsonObject {
  const names = Object.keys(missing).join(', ');
  if (ask !== undefined && message.method === 'tools/call')
    return failedTool(`this tool asks for input (${names}), which this client can't give`);
  throw new ProtocolError(
    codes.missingCapability,
    `the server asks for input that this client can't give: ${names}`,
    {
      data: { requiredCapabilities: missing },
    },
  );
}

function failedTool(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true };
}
