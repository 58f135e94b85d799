import { ClientPresence } from '../kernel/client-presence.ts';
import { ClientRequest } from '../kernel/client-request.ts';
import {
  type CredentialResolver,
  createModuleCall,
  credentialsOf,
  type Exchange,
} from '../kernel/exchange.ts';
import { LazyJsonObject } from '../kernel/json/lazy-json-object.ts';
import type { Answer } from '../kernel/message.ts';
import type { Handler, ModelRequest } from '../kernel/module.ts';
import type { ModuleExecution } from '../kernel/module-execution.ts';
import type { Target } from '../kernel/provider.ts';
import { Trace } from '../kernel/trace.ts';
import type { WireFormat } from '../kernel/wire-format.ts';

export interface AskModelParts {
  /** The format in which questions are encoded. */
  readonly wire: WireFormat;
  /** Creates request ids for questions that run as calls of their own. */
  newId(): string;
  /** Runs and reports a call that only the module waits for. */
  runModuleCall(exchange: Exchange, upstream: Handler): Promise<Answer>;
}

interface AskModelOptions {
  readonly question: ModelRequest;
  readonly target: Target;
  readonly execution: ModuleExecution;
  /** Runs the protective modules, then the provider. */
  readonly moduleCallHandler: Handler;
}

/**
 * Sends a module's own question to a model on behalf of its caller. During the call it is an attempt of that call.
 * After the call it is a separate call that uses stored credentials only, since credentials of a request are not
 * stored.
 */
export async function askModel(parts: AskModelParts, askModelOptions: AskModelOptions): Promise<Answer> {
  const { question: modelRequest, target, execution, moduleCallHandler } = askModelOptions;
  const { exchange, module } = execution;
  const { trace } = exchange;
  execution.checkAttemptLimit();
  const credentials = credentialsOf(exchange);
  const { isEnded } = trace;
  const own = new Trace(performance.now(), isEnded ? undefined : trace);
  const put = createModuleCall(exchange, {
    id: isEnded ? parts.newId() : exchange.id,
    clientRequest: encodeQuestion(modelRequest, target, parts.wire),
    target,
    // No client waits for a call that runs later: only the shutdown of the gateway stops it.
    presence: isEnded ? new ClientPresence() : exchange.presence,
    trace: own,
    credentials: isEnded ? storedCredentialsOnly(credentials) : credentials,
    requestOrigin: { observer: undefined, askedBy: module.name, isModuleCall: true },
  });
  if (isEnded) return parts.runModuleCall(put, moduleCallHandler);
  trace.expectAttempt();
  try {
    return await execution.awaitInner(moduleCallHandler(put).then((reply) => reply.answer()));
  } finally {
    trace.providerMs += own.providerMs;
    trace.attemptEnded();
  }
}

function encodeQuestion(modelRequest: ModelRequest, { model }: Target, wire: WireFormat): ClientRequest {
  const { body } = wire.encodeRequest({ ...modelRequest, model });
  return new ClientRequest({ wire, fields: LazyJsonObject.of(body), headers: [], query: '' });
}

function storedCredentialsOnly(credentials: CredentialResolver): CredentialResolver {
  return { find: (target) => credentials.find(target, 'stored') };
}
