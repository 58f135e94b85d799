import { scopeOf } from '../kernel/caller.ts';
import { ClientPresence } from '../kernel/client-presence.ts';
import { type ClientRequest, fixEndUser, rawHeadersOf } from '../kernel/client-request.ts';
import { suppliedConversationName } from '../kernel/conversation/conversation.ts';
import { endUserRefOf } from '../kernel/end-user.ts';
import { GatewayError, isRejection } from '../kernel/errors.ts';
import { credentialsOf, Exchange } from '../kernel/exchange.ts';
import type { LimitStatus } from '../kernel/limit-status.ts';
import type { Pipeline } from '../kernel/pipeline.ts';
import { formatPromptVersion } from '../kernel/prompt.ts';
import { type Target, unresolvedTarget } from '../kernel/provider.ts';
import type { TagReader } from '../kernel/tags.ts';
import { Trace } from '../kernel/trace.ts';
import type { JsonObject } from '../lib/json.ts';
import type { CallerDirectory } from '../providers/own/own-directory.ts';
import type { Aliases } from './aliases/aliases.ts';
import type { CallLimiter } from './call-limiter.ts';
import type { CallReports } from './call-reports.ts';
import type { CallerAdmissions, CountedCall } from './caller-admission.ts';
import type { CallerIdentity } from './caller-authenticator.ts';
import type { Credentials } from './credentials.ts';
import type { OwnProviders } from './own-providers/own-providers.ts';
import type { PipelineSelector } from './pipeline-selector.ts';
import type { PromptInsertion } from './prompts/prompt-insertion.ts';
import { mayNamePrompt } from './prompts/prompt-reference.ts';
import { findRelayTarget } from './relay-target.ts';
import { requireModel } from './require-model.ts';
import type { TargetChecks } from './target-checks.ts';
import { TargetRules } from './target-rules.ts';

export interface AdmissionParts {
  readonly limiter: Pick<CallLimiter, 'isLimited' | 'haveSameLimits' | 'count'>;
  readonly admissions: CallerAdmissions;
  readonly pipelines: PipelineSelector;
  readonly ownProviders: Pick<OwnProviders, 'directoryFor'>;
  readonly aliases: Pick<Aliases, 'find' | 'resolverFor'>;
  readonly credentials: Credentials;
  readonly targets: TargetChecks;
  readonly tags: TagReader;
  readonly prompts: Pick<PromptInsertion, 'insert'>;
  readonly reports: Pick<CallReports, 'addRejected'>;
}

/** An identified call whose body was read. */
export interface PendingCall {
  readonly id: string;
  readonly clientRequest: ClientRequest;
  readonly presence: ClientPresence;
  readonly trace: Trace;
  /** Set if the call has been counted against the rate limits, before its body was received. */
  readonly isRated?: boolean;
  /** Called with what is left of the caller's rate limits, if there are any. */
  onLimited?(limitStatus: LimitStatus): void;
}

/** The exchange to run and its pipeline. */
export interface PreparedCall {
  readonly exchange: Exchange;
  readonly pipeline: Pipeline;
}

interface AdmittedCall extends PreparedCall {
  readonly countedCall: CountedCall;
}

/** Decides whether a call may be made, and where it goes. */
export class Admission {
  readonly #parts: AdmissionParts;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  /**
   * Counts the call before checking it; a fault of the call itself is reported before an exhausted quota. Rate limits come
   * first, so that a call which they refuse is counted nowhere else. The trace of a rejected call ends. The request of the
   * exchange has the stored prompt that the client's own names.
   */
  async admit(received: PendingCall, caller: CallerIdentity): Promise<AdmittedCall> {
    const { admissions, limiter } = this.#parts;
    const { kind } = caller.caller;
    fixEndUser(received.clientRequest, caller.access?.rules.endUser);
    const callerAdmission = admissions[kind];
    if (callerAdmission === undefined) throw new Error(`no admission is configured for "${kind}" callers`);
    const mayPrompt = mayNamePrompt(received.clientRequest);
    const pendingCall = mayPrompt ? await this.#withPrompt(received, caller) : received;
    const limited = received.isRated === true ? caller : await this.#limit(pendingCall, caller);
    const { clientRequest, trace } = pendingCall;
    let countedCall: CountedCall;
    try {
      countedCall = await callerAdmission.count(limited, rawHeadersOf(clientRequest));
    } catch (thrown) {
      trace.end();
      throw thrown;
    }
    const { identity, rejection } = countedCall;
    try {
      // The limits have changed since the call was counted.
      if (identity !== limited && !limiter.haveSameLimits(identity, limited))
        await limiter.count(pendingCall, identity);
      const { exchange, pipeline } =
        callerAdmission.prepare?.(pendingCall, identity) ??
        (await this.#prepareChecked(
          mayPrompt && identity.key?.version !== caller.key?.version
            ? await this.#insertPrompt(received, identity)
            : pendingCall,
          identity,
        ));
      if (rejection !== undefined) throw rejection;
      return { exchange, pipeline, countedCall };
    } catch (thrown) {
      countedCall.release();
      trace.end();
      await this.#reportRejected(pendingCall, identity, thrown);
      throw thrown;
    }
  }

  /**
   * Counts a call against the rate limits before its body is received, and rejects it if the caller's quota is used up, which is counted
   * when the call is admitted. Returns the caller to admit.
   */
  async admitUpload(pendingCall: PendingCall, caller: CallerIdentity): Promise<CallerIdentity> {
    const limited = await this.#limit(pendingCall, caller);
    const { admissions } = this.#parts;
    const { kind } = caller.caller;
    const countedCall = await admissions[kind]?.count(limited, rawHeadersOf(pendingCall.clientRequest));
    countedCall?.release();
    if (countedCall?.rejection === undefined) return limited;
    await this.#reportRejected(pendingCall, countedCall.identity, countedCall.rejection);
    throw countedCall.rejection;
  }

  /** Explains where a call would go, without counting, checking or sending it. */
  async explainRoute(
    id: string,
    clientRequest: ClientRequest,
    identity: CallerIdentity,
  ): Promise<JsonObject> {
    const { exchange, pipeline } = await this.prepare(id, clientRequest, identity);
    return this.#parts.pipelines.explainRoute(exchange, pipeline);
  }

  /** The exchange and the pipeline of a call that is not counted, checked or sent. */
  async prepare(id: string, clientRequest: ClientRequest, identity: CallerIdentity): Promise<PreparedCall> {
    const trace = new Trace(performance.now());
    const call = { id, clientRequest, presence: new ClientPresence(), trace };
    return this.#prepare(await this.#insertPrompt(call, identity), identity);
  }

  /** Reports a call whose prompt can't be used. */
  async #withPrompt(received: PendingCall, caller: CallerIdentity): Promise<PendingCall> {
    try {
      return await this.#insertPrompt(received, caller);
    } catch (thrown) {
      received.trace.end();
      this.#reportRejected(received, caller, thrown);
      throw thrown;
    }
  }

  async #insertPrompt(received: PendingCall, identity: CallerIdentity): Promise<PendingCall> {
    return { ...received, clientRequest: await this.#parts.prompts.insert(received.clientRequest, identity) };
  }

  async #limit(pendingCall: PendingCall, caller: CallerIdentity): Promise<CallerIdentity> {
    const { limiter } = this.#parts;
    if (!limiter.isLimited(caller)) return caller;
    try {
      return await limiter.count(pendingCall, caller);
    } catch (thrown) {
      if (isRejection(thrown)) await this.#reportRejected(pendingCall, caller, thrown);
      throw thrown;
    }
  }

  /** Skips anonymous sessions: anyone could fill the request log with them. */
  async #reportRejected(
    { id, clientRequest, trace: { startedAtMs } }: PendingCall,
    identity: CallerIdentity,
    thrown: unknown,
  ): Promise<void> {
    if (identity.session !== undefined) return;
    const tags = this.#parts.tags.readIfValid(clientRequest);
    const isAirgapped = await this.#isAirgapped(clientRequest, identity);
    this.#parts.reports.addRejected({ id, identity, clientRequest, tags, startedAtMs, thrown, isAirgapped });
  }

  /** Whether a call that may have been rejected before its pipeline was chosen has an airgap. A wrong list counts as one. */
  async #isAirgapped(clientRequest: ClientRequest, identity: CallerIdentity): Promise<boolean> {
    const { pipelines } = this.#parts;
    for (const header of [clientRequest.header('x-weir-pipeline'), undefined])
      try {
        return (await pipelines.choose(header, identity)).pipeline.isAirgapped;
      } catch {
        // Without the header, there are the lists of the key and of the instance.
      }
    return true;
  }

  /**
   * Runs after authentication and reading the body, in the order of the contract: pipeline, provider key. If a module
   * may reroute the call, its target is checked behind the modules.
   */
  async #prepareChecked(pendingCall: PendingCall, identity: CallerIdentity): Promise<PreparedCall> {
    const prepared = await this.#prepare(pendingCall, identity);
    const { exchange, pipeline } = prepared;
    const { relay } = pendingCall.clientRequest;
    if (relay !== undefined || !pipeline.mayReroute)
      await this.#parts.targets.check(exchange.target, credentialsOf(exchange), relay);
    return prepared;
  }

  async #prepare(
    { id, clientRequest, presence, trace }: PendingCall,
    identity: CallerIdentity,
  ): Promise<PreparedCall> {
    const { aliases, credentials, pipelines } = this.#parts;
    const { relay } = clientRequest;
    const model = requireModel(clientRequest);
    const directory = await this.#parts.ownProviders.directoryFor(identity);
    // Again, since the rules may have changed since the caller was identified.
    fixEndUser(clientRequest, identity.access?.rules.endUser);
    const tags = this.#parts.tags.read(clientRequest);
    if (clientRequest.prompt !== undefined)
      trace.setHeader('prompt', formatPromptVersion(clientRequest.prompt));
    // Always return a name that the client supplied; a derived one only when a module needs it.
    const conversation = suppliedConversationName(clientRequest);
    if (conversation !== undefined) trace.setHeader('conversation', conversation);
    const isUnknown = relay?.route.defaultProvider === undefined && directory.find(model) === undefined;
    const alias = isUnknown ? await aliases.find(identity, model) : undefined;
    if (alias !== undefined && relay !== undefined) throw aliasedEndpointError(model);
    const chosen = await pipelines.choose(clientRequest.header('x-weir-pipeline'), identity, alias);
    const pipeline = relay === undefined ? chosen.pipeline : pipelines.forRelay(chosen.pipeline, relay);
    const target = findTarget(clientRequest, model, directory);
    const resolver = aliases.resolverFor(identity, alias);
    const asked = { clientRequest, name: model, target, alias: alias && resolver.requested };
    const rules = TargetRules.of(identity.access, { ...asked, directory });
    const headers = rawHeadersOf(clientRequest);
    const stickiness = () => stickinessOf(exchange);
    const credential = credentials.of(
      { identity, headers, stickiness, keyName: relay?.origin?.keyName, directory },
      target,
    );
    const exchange = new Exchange({
      id,
      clientRequest,
      caller: identity.caller,
      target,
      presence,
      trace,
      tags,
      ...(identity.key?.budgets !== undefined && {
        budgets: identity.key.budgets.limiting({
          tags,
          endUser: () => endUserRefOf(clientRequest, scopeOf(identity.caller)),
        }),
      }),
      credentials: rules?.limit(credential) ?? credential,
      aliases: pipeline.mayReroute ? resolver : undefined,
      targets: directory.own.length > 0 ? directory : undefined,
    });
    return { exchange, pipeline };
  }
}

function findTarget(clientRequest: ClientRequest, model: string, directory: CallerDirectory): Target {
  const { relay } = clientRequest;
  return relay === undefined
    ? (directory.find(model) ?? unresolvedTarget(model))
    : findRelayTarget(relay, clientRequest.header('x-weir-provider'), directory);
}

function aliasedEndpointError(name: string): GatewayError {
  return new GatewayError(
    'model_not_found',
    `"${name}" is an alias, which stands for chat models only; calls to this endpoint must name a model`,
    { param: 'model' },
  );
}

/**
 * Calls that belong to a conversation. Answers that a provider stores can be continued only with a key of the same
 * owner, and a derived name would change with each of them: then all calls of the end user belong together. So do
 * relays, which have no messages.
 */
function stickinessOf(exchange: Exchange): string {
  const { clientRequest, caller } = exchange;
  const { relay, wire, fields } = clientRequest;
  if (relay === undefined && wire.continuation?.isUsed(fields) !== true) return exchange.conversation.name;
  const scope = scopeOf(caller);
  return suppliedConversationName(clientRequest) ?? `${scope}\n${endUserRefOf(clientRequest, scope) ?? ''}`;
}
