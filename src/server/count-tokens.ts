import { z } from 'zod';
import type { Aliases } from '../calls/aliases/aliases.ts';
import type { CallLimiter } from '../calls/call-limiter.ts';
import type { CallerAuthenticator, CallerIdentity } from '../calls/caller-authenticator.ts';
import type { Credentials } from '../calls/credentials.ts';
import type { OwnProviders } from '../calls/own-providers/own-providers.ts';
import type { PipelineSelector } from '../calls/pipeline-selector.ts';
import type { PromptInsertion } from '../calls/prompts/prompt-insertion.ts';
import { mayNamePrompt } from '../calls/prompts/prompt-reference.ts';
import { requireModel } from '../calls/require-model.ts';
import { TargetRules } from '../calls/target-rules.ts';
import type { HttpRequest } from '../http/request.ts';
import type { HttpResponse } from '../http/response.ts';
import { ClientPresence } from '../kernel/client-presence.ts';
import { ClientRequest, rawHeadersOf } from '../kernel/client-request.ts';
import { Exchange } from '../kernel/exchange.ts';
import { LazyJsonObject } from '../kernel/json/lazy-json-object.ts';
import { metricNameOf, type Target, unresolvedTarget } from '../kernel/provider.ts';
import { Trace } from '../kernel/trace.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import type { JsonObject } from '../lib/json.ts';
import type { WholeResponse } from '../providers/error-response.ts';
import type { CallerDirectory } from '../providers/own/own-directory.ts';
import type { ProviderTokenCount } from '../providers/token-counter.ts';
import type { TokenEstimator } from '../providers/tokens/token-estimator.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { ResponseDescription } from './api/route.ts';
import { readBody } from './body.ts';
import type { BodyMemoryBudget, MemoryReservation } from './body-memory-budget.ts';
import { limitListener } from './limit-headers.ts';
import { limits } from './limits.ts';
import { rejectCall } from './reject-call.ts';
import { asGatewayError, noSniffHeaders, type RequestContext, sendResponse } from './respond.ts';
import type { SlowBodyMonitor } from './slow-body-monitor.ts';

export function countTokensResponses(wire: WireFormat): Readonly<Record<number, ResponseDescription>> {
  const fields = Object.keys(tokenCountBody(wire, 0)).map((name) => [name, z.int()]);
  return {
    200: {
      description: "The provider's own count, or an estimate if the provider cannot count",
      schema: z.object(Object.fromEntries(fields)),
      headers: { 'x-weir-estimate': '`true` if the count is an estimate by the gateway' },
    },
  };
}

function tokenCountBody({ name, counting: tokenCounting }: WireFormat, tokens: number): JsonObject {
  if (tokenCounting === undefined) throw new Error(`${name} has no token count response format`);
  return tokenCounting.answer(tokens);
}

export interface CountTokensParts {
  readonly limiter: Pick<CallLimiter, 'isLimited' | 'count'>;
  readonly callers: CallerAuthenticator;
  readonly credentials: Credentials;
  readonly ownProviders: Pick<OwnProviders, 'directoryFor'>;
  readonly pipelines: PipelineSelector;
  readonly aliases: Pick<Aliases, 'resolverFor'>;
  readonly prompts: Pick<PromptInsertion, 'insert'>;
  /** Uses the provider's own token counter. */
  readonly counter: (exchange: Exchange) => Promise<ProviderTokenCount | undefined>;
  readonly estimator: TokenEstimator;
  readonly memoryBudget: BodyMemoryBudget;
  readonly slowBodies: SlowBodyMonitor;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** Counts the tokens of a request without making the call: runs no module, bills nothing. */
export class CountTokensHandler {
  readonly #parts: CountTokensParts;

  constructor(parts: CountTokensParts) {
    this.#parts = parts;
  }

  async handle(
    req: HttpRequest,
    res: HttpResponse,
    context: RequestContext,
    wire: WireFormat,
  ): Promise<void> {
    const { callers: callerAuthenticator, memoryBudget, slowBodies: slowBodyMonitor, log } = this.#parts;
    const clientPresence = new ClientPresence();
    res.onAbort(() => clientPresence.leave());
    const trace = new Trace(performance.now());
    let memory: MemoryReservation | undefined;
    try {
      const headers = req.headers;
      const identity = await callerAuthenticator.identifyCurrent(headers, context.clientAddress);
      context.accountId = identity.accountId;
      context.keyId = identity.key?.keyId;
      const reservation = memoryBudget.reserve(identity.accountId);
      memory = reservation;
      const bytes = await readBody(req, {
        bytesMax: limits.bodyBytesMax,
        reservation,
        slowBodies: slowBodyMonitor,
      });
      const { query, path } = context;
      const received = new ClientRequest({
        wire,
        fields: LazyJsonObject.of(bytes),
        headers,
        query,
        path,
        memoryReservation: reservation,
      });
      const clientRequest = mayNamePrompt(received)
        ? await this.#parts.prompts.insert(received, identity)
        : received;
      await this.#limit(clientRequest, { context, identity, trace });
      sendResponse(
        res,
        await this.#count(clientRequest, { context, identity, presence: clientPresence, trace }),
        context,
      );
    } catch (thrown) {
      rejectCall(thrown, { res, context, wire, log });
    } finally {
      trace.end();
      memory?.release();
    }
  }

  async #limit(
    clientRequest: ClientRequest,
    { context, identity, trace }: Omit<CountTokensContext, 'presence'>,
  ): Promise<void> {
    const { limiter } = this.#parts;
    if (!limiter.isLimited(identity)) return;
    const onLimited = limitListener(context, clientRequest.wire);
    const headers = rawHeadersOf(clientRequest);
    await limiter.count({ headers, clientRequest: undefined, trace, onLimited }, identity);
  }

  async #count(clientRequest: ClientRequest, by: CountTokensContext): Promise<WholeResponse> {
    const { metrics } = this.#parts;
    const counted = await this.#findTarget(clientRequest, by);
    const { target } = counted;
    const name = metricNameOf(target.provider);
    by.context.isCounted = true;
    try {
      const providerTokenCount = (await this.#isRedacted(clientRequest, by))
        ? undefined
        : await this.#parts.counter(this.#exchange(clientRequest, counted, by));
      const answer = await this.#answer(providerTokenCount, clientRequest, target);
      metrics.recordTokenCount(name, answer.status);
      return answer;
    } catch (thrown) {
      metrics.recordTokenCount(name, asGatewayError(thrown).status);
      throw thrown;
    }
  }

  /** For an alias, the first of its models that the caller may use and has a key for. */
  async #findTarget(clientRequest: ClientRequest, { identity }: CountTokensContext): Promise<CountedTarget> {
    const { aliases, credentials } = this.#parts;
    const directory = await this.#parts.ownProviders.directoryFor(identity);
    const model = requireModel(clientRequest);
    const found = directory.find(model);
    const alias = found === undefined ? await aliases.resolverFor(identity).modelsOf(model) : undefined;
    const asked = { clientRequest, name: model, target: found ?? unresolvedTarget(model), alias, directory };
    const rules = TargetRules.of(identity.access, asked);
    const targets = (alias?.flatMap((name) => directory.find(name) ?? []) ?? []).filter(
      (target) => rules?.refusal(target) === undefined,
    );
    const headers = rawHeadersOf(clientRequest);
    for (const target of targets)
      if ((await credentials.findOptional({ identity, headers, directory }, target)) !== undefined)
        return { target, rules, directory };
    return { target: targets[0] ?? directory.resolve(model), rules, directory };
  }

  /** Whether calls with this request run a module that keeps content from providers: their counters are such, too. */
  async #isRedacted(clientRequest: ClientRequest, { identity }: CountTokensContext): Promise<boolean> {
    const header = clientRequest.header('x-weir-pipeline');
    return (await this.#parts.pipelines.choose(header, identity)).pipeline.redacts;
  }

  #exchange(
    clientRequest: ClientRequest,
    { target, rules, directory }: CountedTarget,
    { context: { id }, identity, presence: clientPresence, trace }: CountTokensContext,
  ) {
    const credentials = this.#parts.credentials.of(
      { identity, headers: rawHeadersOf(clientRequest), directory },
      target,
    );
    return new Exchange({
      id,
      caller: identity.caller,
      presence: clientPresence,
      clientRequest,
      target,
      trace,
      credentials: rules?.limit(credentials) ?? credentials,
    });
  }

  /** Without a counter nothing is sent to the provider, so no provider key is required. */
  async #answer(
    providerTokenCount: ProviderTokenCount | undefined,
    clientRequest: ClientRequest,
    target: Target,
  ): Promise<WholeResponse> {
    if (providerTokenCount !== undefined && 'answer' in providerTokenCount) return providerTokenCount.answer;
    const tokens =
      providerTokenCount?.tokens ?? (await this.#parts.estimator.estimate(clientRequest.request, target));
    return {
      status: 200,
      headers: [
        'content-type',
        'application/json',
        ...noSniffHeaders,
        ...(providerTokenCount === undefined ? ['x-weir-estimate', 'true'] : []),
      ],
      bytes: Buffer.from(JSON.stringify(tokenCountBody(clientRequest.wire, tokens))),
    };
  }
}

interface CountedTarget {
  readonly target: Target;
  readonly rules: TargetRules | undefined;
  readonly directory: CallerDirectory;
}

interface CountTokensContext {
  readonly context: RequestContext;
  readonly identity: CallerIdentity;
  readonly presence: ClientPresence;
  readonly trace: Trace;
}
