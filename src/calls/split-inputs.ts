import { GatewayError } from '../kernel/errors.ts';
import type { Exchange } from '../kernel/exchange.ts';
import type { Handler } from '../kernel/module.ts';
import { changeRelay } from '../kernel/relay.ts';
import { readRelayAnswer, relayAnswer } from '../kernel/reply/relay-answer.ts';
import type { Reply } from '../kernel/reply/reply.ts';
import type { JsonObject } from '../lib/json.ts';
import { limits } from './limits.ts';

/** Sends a call with more inputs than its provider takes at once in several attempts, and joins their answers. */
export function splitInputs(next: Handler): Handler {
  return async (exchange) => {
    const parts = partsOf(exchange);
    return parts === undefined ? next(exchange) : sendParts(exchange, parts, next);
  };
}

/** Undefined if the provider takes all inputs at once. */
function partsOf({ relay, target }: Exchange): readonly (readonly unknown[])[] | undefined {
  if (relay?.route.inputList === undefined) return undefined;
  const { inputsMax } = target.provider.endpointForms?.[relay.route.endpoint] ?? {};
  // An input has two quotes and a comma at least, so a small body needs no parsing.
  if (inputsMax === undefined || (relay.bodyBytes ?? 0) <= 3 * inputsMax) return undefined;
  const inputs = relay.route.inputList.inputsOf(relay.fields) ?? [];
  if (inputs.length <= inputsMax) return undefined;
  const count = Math.ceil(inputs.length / inputsMax);
  return Array.from({ length: count }, (_, at) => inputs.slice(at * inputsMax, (at + 1) * inputsMax));
}

/** If a part fails, no further part is sent, and the call fails once all parts under way are billed. */
async function sendParts(
  exchange: Exchange,
  parts: readonly (readonly unknown[])[],
  next: Handler,
): Promise<Reply> {
  const { relay, target, presence } = exchange;
  const inputList = relay?.route.inputList;
  if (relay === undefined || inputList === undefined)
    throw new Error('a call without inputs can not be split');
  const answers: JsonObject[] = [];
  const results: JsonObject[][] = [];
  const failures: unknown[] = [];
  let sent = 0;
  const sendNext = async (): Promise<void> => {
    for (let at = sent++; at < parts.length && failures.length === 0; at = sent++) {
      const inputs = parts[at] ?? [];
      try {
        if (presence.hasLeft) throw new GatewayError('client_gone', 'the client closed the connection');
        const part = exchange.with({ relay: changeRelay(relay, inputList.fieldsFor(inputs)) });
        const answer = await readRelayAnswer(await next(part), part);
        const own = inputList.resultsOf(answer, inputs.length);
        if (own === undefined) throw missingResultsError(target.provider.title, inputs.length);
        answers[at] = answer;
        results[at] = [...own];
      } catch (failure) {
        failures.push(failure);
      }
    }
  };
  await Promise.all(Array.from({ length: limits.inputPartsAtOnce }, sendNext));
  if (failures.length > 0) throw failures[0];
  return relayAnswer(inputList.join(results.flat(), answers, target.model), exchange);
}

function missingResultsError(title: string, inputs: number): GatewayError {
  return new GatewayError('upstream_broken', `${title} did not answer each of ${inputs} inputs`);
}
