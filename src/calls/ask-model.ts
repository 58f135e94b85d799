import { ClientPresence } from '../kernel/client-presence.ts';
import { ClientRequest } from '../kernel/client-request.ts';
import {
  type CredentialResolver,
  createModuleCall,
  credentialsOf,
  type Exchange,
} from '../kernel/exchange.ts';
import { LazyJsonObject } from '../kernel/lazy-json-object.ts';
import type { Answer } from '../kernel/message.ts';
import type { Handler, ModelRequest } from '../kernel/module.ts';
import type { ModuleExecution } from '../kernel/module-execution.ts';
import type { Target } from '../kernel/provider.ts';
import { Trace } from '../kernel/trace.ts';
import type { WireFormat } from '../kernel/wire-format.ts';

export interface AskModelParts {
  /** In which questions are worded. */
  readonly wire: WireFormat;
  /** Names for questions that are calls of their own. */
  newId(): string;
  /** Runs a call that nobody but the module waits for, and tells of it. */
  runModuleCall(exchange: Exchange, upstream: Handler): Promise<Answer>;
}

interface AskModelOptions {
  readonly question: ModelRequest;
  readonly target: Target;
  readonly execution: ModuleExecution;
  /** Past whoever protects the caller, and to the provider. */
  readonly moduleCallHandler: Handler;
}

/**
 * A module's own question to a model, on behalf of its caller. While the call is under way it is an attempt of it; after
 * that it is a call of its own, paid with what is stored, since what came with a request is not kept for later.
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
    // Nobody but the gateway's end keeps work from going on that no client waits for.
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
