import type { ClientRequest } from '../kernel/client-request.ts';
import type { Usage } from '../kernel/message.ts';
import type { CounterName } from '../kernel/ports/counters.ts';
import { isEstimable } from '../kernel/relay.ts';
import { isJsonObject } from '../lib/json.ts';
import { Lru } from '../lib/lru.ts';
import { estimateInputTokens } from './estimate-usage.ts';
import { limits } from './limits.ts';

export interface ExpectedTokens {
  readonly input: number;
  /** Input and output, at most the limit if the input alone is within it. */
  readonly tokens: number;
}

/** Expects the tokens of calls: their input by its length, their output by earlier answers in this process. */
export class TokenExpectations {
  /** The mean output by caller and model. */
  readonly #outputs = new Lru<number>(limits.expectedOutputsMax);

  /** A call that may use all that the limit allows is possible, though it has to wait for an unused minute. */
  of(caller: CounterName, clientRequest: ClientRequest, limit: number): ExpectedTokens {
    const { relay } = clientRequest;
    const isCounted = relay === undefined || isEstimable(relay.route);
    const input = isCounted ? estimateInputTokens(clientRequest) : 1;
    const output = relay === undefined ? this.#output(caller, clientRequest) : 0;
    return { input, tokens: Math.max(input, Math.min(input + output, limit)) };
  }

  /** A mean that follows the latest answers. */
  add(caller: CounterName, clientRequest: ClientRequest, { output_tokens: output }: Usage): void {
    if (!output) return;
    const key = outputKey(caller, clientRequest);
    const before = this.#outputs.get(key) ?? output;
    this.#outputs.set(key, before + (output - before) / limits.expectedOutputAnswers);
  }

  #output(caller: CounterName, clientRequest: ClientRequest): number {
    const mean = this.#outputs.get(outputKey(caller, clientRequest)) ?? limits.outputTokensAssumed;
    return Math.round(Math.min(mean, outputLimitOf(clientRequest)));
  }
}

function outputKey({ scope, name }: CounterName, { routing }: ClientRequest): string {
  return `${scope}\n${name}\n${routing.model}`;
}

/** The lowest that the request sets. */
function outputLimitOf({ wire, fields }: ClientRequest): number {
  const { outputLimits } = wire.estimates;
  const values = outputLimits.map(([outer = '', inner]) => {
    const value = fields.get(outer);
    return Number(inner === undefined ? value : isJsonObject(value) ? value[inner] : undefined);
  });
  return Math.min(...values.filter((value) => value > 0), Number.POSITIVE_INFINITY);
}
