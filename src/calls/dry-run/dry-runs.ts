import type { ClientRequest } from '../../kernel/client-request.ts';
import { nameOfTarget } from '../../kernel/conversation/prefix.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { credentialsOf, type Exchange } from '../../kernel/exchange.ts';
import type { ChatRequest } from '../../kernel/message.ts';
import type { Handler } from '../../kernel/module.ts';
import type { NanoUsd } from '../../kernel/money.ts';
import type { Pipeline } from '../../kernel/pipeline.ts';
import type { Prices } from '../../kernel/ports/prices.ts';
import { isResolved, type Target } from '../../kernel/provider.ts';
import type { Attributes, Effect } from '../../kernel/trace.ts';
import type { Admission } from '../admission.ts';
import type { CallerIdentity } from '../caller-authenticator.ts';
import type { TargetChecks } from '../target-checks.ts';

interface DryRunsParts {
  /** An admission whose pipelines leave no trace, for one run. */
  openAdmission(): Pick<Admission, 'prepare'>;
  readonly targets: Pick<TargetChecks, 'check'>;
  readonly prices: Pick<Prices, 'bill'>;
  /** The estimated input tokens of a request. */
  countInput(request: ChatRequest, target: Target): Promise<number>;
  /** Whether a module can run dry. */
  canRun(module: string): boolean;
}

/** What a provider would get. */
interface DryRequest {
  readonly target: string;
  readonly request: ChatRequest;
  /** Undefined if no provider has the model. */
  readonly inputTokens: number | undefined;
  /** Undefined if the price is unknown. */
  readonly inputNanoUsd: NanoUsd | undefined;
  /** What the longest answer that the request allows would cost in addition. */
  readonly outputNanoUsdMax: NanoUsd | undefined;
}

/** `left-out` if the module can't run dry, `not-reached` if an earlier one has ended the call. */
type DryEffect = Effect | 'left-out' | 'not-reached';

interface DryStep {
  readonly module: string;
  readonly effect: DryEffect;
  readonly attributes: Attributes;
  readonly savedNanoUsd: NanoUsd;
}

export interface DryRunResult {
  readonly pipeline: string;
  readonly outcome: 'sent' | 'answered' | 'rejected';
  readonly error: GatewayError | undefined;
  readonly before: DryRequest;
  /** Undefined unless the call would be sent. */
  readonly after: DryRequest | undefined;
  readonly steps: readonly DryStep[];
  /** The response headers that modules set, names and values in turn. */
  readonly headers: readonly string[];
}

/** Shows what a pipeline would do with a request, without sending it and without a trace. */
export class DryRuns {
  readonly #parts: DryRunsParts;

  constructor(parts: DryRunsParts) {
    this.#parts = parts;
  }

  async run(id: string, clientRequest: ClientRequest, identity: CallerIdentity): Promise<DryRunResult> {
    const { exchange, pipeline } = await this.#parts.openAdmission().prepare(id, clientRequest, identity);
    const { sent, error } = await this.#runUntilSent(exchange, pipeline);
    const { trace } = exchange;
    return {
      pipeline: pipeline.text,
      outcome: error !== undefined ? 'rejected' : sent === undefined ? 'answered' : 'sent',
      error,
      before: await this.#describe(exchange),
      after: error === undefined && sent !== undefined ? await this.#describe(sent) : undefined,
      steps: pipeline.stages.map(({ module: { name } }) => {
        const step = trace.steps.find(({ module }) => module === name);
        const effect = this.#parts.canRun(name) ? (step?.effect ?? 'not-reached') : 'left-out';
        const { attributes = {}, savedNanoUsd = 0 } = step ?? {};
        return { module: name, effect, attributes, savedNanoUsd };
      }),
      headers: trace.moduleHeaders,
    };
  }

  async #describe({ request, target }: Exchange): Promise<DryRequest> {
    if (!isResolved(target))
      return {
        target: target.model,
        request,
        inputTokens: undefined,
        inputNanoUsd: undefined,
        outputNanoUsdMax: undefined,
      };
    const { prices, countInput } = this.#parts;
    const inputTokens = await countInput(request, target);
    const inputNanoUsd = prices.bill(target, { input_tokens: inputTokens, output_tokens: 0 })?.nanoUsd;
    const { max_tokens: most } = request;
    return {
      target: nameOfTarget(target),
      request,
      inputTokens,
      inputNanoUsd,
      outputNanoUsdMax:
        typeof most === 'number'
          ? prices.bill(target, { input_tokens: 0, output_tokens: most })?.nanoUsd
          : undefined,
    };
  }

  /** What would be sent first; later attempts depend on answers. Targets are checked where calls check them. */
  async #runUntilSent(
    exchange: Exchange,
    pipeline: Pipeline,
  ): Promise<{ readonly sent?: Exchange; readonly error?: GatewayError }> {
    const check = ({ target }: Exchange) => this.#parts.targets.check(target, credentialsOf(exchange));
    let sent: Exchange | undefined;
    const upstream: Handler = async (passed) => {
      if (pipeline.mayReroute) await check(passed);
      sent ??= passed;
      throw new GatewayError('client_gone', 'a dry run is not sent');
    };
    try {
      if (!pipeline.mayReroute) await check(exchange);
      const reply = await pipeline.run(exchange, upstream);
      await reply.discard();
      return {};
    } catch (thrown) {
      if (sent !== undefined) return { sent };
      if (!GatewayError.is(thrown)) throw thrown;
      return { error: thrown };
    } finally {
      exchange.trace.end();
    }
  }
}
