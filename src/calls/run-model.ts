import { ClientPresence } from '../kernel/client-presence.ts';
import { ClientRequest, fixEndUser } from '../kernel/client-request.ts';
import {
  type CredentialResolver,
  createModuleCall,
  credentialsOf,
  type Exchange,
} from '../kernel/exchange.ts';
import { LazyJsonObject } from '../kernel/json/lazy-json-object.ts';
import type { Answer, ChatRequest } from '../kernel/message.ts';
import type { Handler, ModelRequest } from '../kernel/module.ts';
import type { ModuleExecution } from '../kernel/module-execution.ts';
import type { Target } from '../kernel/provider.ts';
import type { Reply } from '../kernel/reply/reply.ts';
import { Trace } from '../kernel/trace.ts';
import type { WireFormat } from '../kernel/wire-format.ts';

export interface RunModelParts {
  /** The format in which requests are encoded. */
  readonly wire: WireFormat;
  /** Creates request ids for requests that run as calls of their own. */
  newId(): string;
  /** Runs and reports a call that only the module waits for. */
  runModuleCall(exchange: Exchange, upstream: Handler): Promise<Reply>;
}

interface RunModelOptions {
  readonly request: ModelRequest & Pick<ChatRequest, 'stream'>;
  readonly target: Target;
  readonly execution: ModuleExecution;
  /** Runs the modules of the request, then the provider. */
  readonly handler: Handler;
}

/**
 * Sends a module's own request to a model on behalf of its caller. During the call it is an attempt of that call.
 * After the call it is a separate call that uses stored credentials only, since credentials of a request are not
 * stored. A reply that the module doesn't read is discarded.
 */
export async function runModel(parts: RunModelParts, runModelOptions: RunModelOptions): Promise<Reply> {
  const { request, target, execution, handler } = runModelOptions;
  const { exchange, module } = execution;
  const { trace } = exchange;
  execution.checkAttemptLimit();
  const credentials = credentialsOf(exchange);
  const { isEnded } = trace;
  const own = new Trace(performance.now(), isEnded ? undefined : trace);
  const clientRequest = encodeRequest(request, target, parts.wire);
  fixEndUser(clientRequest, exchange.clientRequest.fixedEndUser);
  const put = createModuleCall(exchange, {
    id: isEnded ? parts.newId() : exchange.id,
    clientRequest,
    target,
    // No client waits for a call that runs later: only the shutdown of the gateway stops it.
    presence: isEnded ? new ClientPresence() : exchange.presence,
    trace: own,
    credentials: isEnded ? storedCredentialsOnly(credentials) : credentials,
    requestOrigin: { observer: undefined, askedBy: module.name, isModuleCall: true },
  });
  if (isEnded) return execution.takeOwnReply(await parts.runModuleCall(put, handler));
  trace.expectAttempt();
  try {
    const reply = await execution.awaitInner(handler(put));
    return execution.takeOwnReply(reply.onEnd(() => trace.attemptEnded()));
  } catch (failure) {
    trace.attemptEnded();
    throw failure;
  } finally {
    trace.providerMs += own.providerMs;
  }
}

/** The whole answer to a module's own request. */
export async function askModel(parts: RunModelParts, runModelOptions: RunModelOptions): Promise<Answer> {
  const reply = await runModel(parts, runModelOptions);
  return runModelOptions.execution.awaitInner(reply.answer());
}

function encodeRequest(
  request: RunModelOptions['request'],
  { model }: Target,
  wire: WireFormat,
): ClientRequest {
  const { body } = wire.encodeRequest({ ...request, model });
  const headers = ['content-type', 'application/json'];
  return new ClientRequest({ wire, fields: LazyJsonObject.of(body), headers, query: '' });
}

function storedCredentialsOnly(credentials: CredentialResolver): CredentialResolver {
  return { ...credentials, find: (target) => credentials.find(target, 'stored') };
}
