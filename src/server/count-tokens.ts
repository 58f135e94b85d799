import { z } from 'zod';
import { checkedModel } from '../calls/admission.ts';
import type { Callers, Known } from '../calls/callers.ts';
import type { Credentials } from '../calls/credentials.ts';
import type { HttpRequest } from '../http/request.ts';
import type { HttpResponse } from '../http/response.ts';
import { Exchange } from '../kernel/exchange.ts';
import type { JsonObject } from '../kernel/json.ts';
import { limits } from '../kernel/limits.ts';
import { Outline } from '../kernel/outline.ts';
import { Presence } from '../kernel/presence.ts';
import type { Target } from '../kernel/provider.ts';
import { Received, rawHeadersOf } from '../kernel/received.ts';
import { Trace } from '../kernel/trace.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import type { Directory } from '../providers/directory.ts';
import type { WholeAnswer } from '../providers/refusal.ts';
import type { TokenEstimator } from '../providers/tokens/token-estimator.ts';
import type { Counted } from '../providers/upstream.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Ballast, Load } from './ballast.ts';
import { readBody } from './body.ts';
import type { DescribedAnswer } from './own/route.ts';
import { refuse } from './refuse.ts';
import { asGatewayError, type Call, noSniffing, sendWhole } from './respond.ts';
import type { SlowBodies } from './slow-bodies.ts';

/** What it answers with, to clients of a format. */
export function countTokensAnswers(wire: WireFormat): Readonly<Record<number, DescribedAnswer>> {
  const fields = Object.keys(countedIn(wire, 0)).map((name) => [name, z.int()]);
  return {
    200: {
      description: "The provider's own count, or an estimate where it has no counter",
      schema: z.object(Object.fromEntries(fields)),
      headers: { 'x-weir-estimate': '`true` where the number is an estimate of the gateway' },
    },
  };
}

function countedIn({ name, counting }: WireFormat, tokens: number): JsonObject {
  if (counting === undefined) throw new Error(`${name} has no way to tell how many tokens there are`);
  return counting.answer(tokens);
}

export interface CountTokensParts {
  readonly callers: Callers;
  readonly credentials: Credentials;
  readonly directory: Directory;
  /** Asks a provider's own counter. */
  readonly counter: (exchange: Exchange) => Promise<Counted | undefined>;
  readonly estimator: TokenEstimator;
  /** What requests under way weigh together. */
  readonly ballast: Ballast;
  readonly slowBodies: SlowBodies;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** Counts the tokens of calls that are not made: no module runs, nothing is billed. */
export class CountTokens {
  readonly #parts: CountTokensParts;

  constructor(parts: CountTokensParts) {
    this.#parts = parts;
  }

  async handle(req: HttpRequest, res: HttpResponse, call: Call, wire: WireFormat): Promise<void> {
    const { callers, ballast, slowBodies, log } = this.#parts;
    const presence = new Presence();
    res.onGone(() => presence.leave());
    let held: Load | undefined;
    try {
      const headers = req.headers;
      const known = await callers.identifyCurrent(headers);
      const load = ballast.load(known.accountId);
      held = load;
      const bytes = await readBody(req, { bytesMax: limits.bodyBytesMax, load, slowBodies });
      const { query, path } = call;
      const received = new Received({ wire, fields: Outline.of(bytes), headers, query, path, load });
      sendWhole(res, await this.#count(received, { id: call.id, known, presence }), call);
    } catch (thrown) {
      refuse(thrown, { res, call, wire, log });
    } finally {
      held?.release();
    }
  }

  async #count(received: Received, by: Counting): Promise<WholeAnswer> {
    const { directory, metrics } = this.#parts;
    const target = directory.resolve(checkedModel(received));
    const { name } = target.provider;
    try {
      const counted = await this.#parts.counter(this.#exchange(received, target, by));
      const answer = await this.#answer(counted, received, target);
      metrics.counted(name, answer.status);
      return answer;
    } catch (thrown) {
      metrics.counted(name, asGatewayError(thrown).status);
      throw thrown;
    }
  }

  #exchange(received: Received, target: Target, { id, known, presence }: Counting) {
    const credentials = this.#parts.credentials.of({ known, headers: rawHeadersOf(received) });
    const trace = new Trace(performance.now());
    return new Exchange({ id, caller: known.caller, presence, received, target, trace, credentials });
  }

  /** Where there is no counter nothing is sent anywhere, so that no key of the provider's is asked for. */
  async #answer(counted: Counted | undefined, received: Received, target: Target): Promise<WholeAnswer> {
    if (counted !== undefined && 'answer' in counted) return counted.answer;
    const tokens = counted?.tokens ?? (await this.#parts.estimator.estimate(received.request, target));
    return {
      status: 200,
      headers: [
        'content-type',
        'application/json',
        ...noSniffing,
        ...(counted === undefined ? ['x-weir-estimate', 'true'] : []),
      ],
      bytes: Buffer.from(JSON.stringify(countedIn(received.wire, tokens))),
    };
  }
}

interface Counting {
  readonly id: string;
  readonly known: Known;
  readonly presence: Presence;
}
