import { broughtName } from '../kernel/conversation/conversation.ts';
import { GatewayError } from '../kernel/errors.ts';
import { Exchange } from '../kernel/exchange.ts';
import { isJsonObject } from '../kernel/json.ts';
import { limits } from '../kernel/limits.ts';
import type { Pipeline } from '../kernel/pipeline.ts';
import type { Presence } from '../kernel/presence.ts';
import { type Received, rawHeadersOf } from '../kernel/received.ts';
import type { Trace } from '../kernel/trace.ts';
import type { Catalog } from '../providers/catalog/catalog.ts';
import { checkPriced, type UnknownModels } from '../providers/catalog/check-priced.ts';
import type { Directory } from '../providers/directory.ts';
import type { Known } from './callers.ts';
import type { Credentials } from './credentials.ts';
import type { PipelineChoice } from './pipeline-choice.ts';
import type { CallReports } from './reports.ts';
import { type Counted, passThrough, type Turnstiles } from './turnstile.ts';

export interface AdmissionParts {
  readonly turnstiles: Turnstiles;
  readonly pipelines: PipelineChoice;
  readonly directory: Directory;
  readonly credentials: Credentials;
  readonly prices: { readonly catalog: Catalog; readonly unknownModels: UnknownModels };
  readonly reports: Pick<CallReports, 'turnedAway'>;
}

/** A call whose caller is known and whose body is read. */
export interface Arrived {
  readonly id: string;
  readonly received: Received;
  readonly presence: Presence;
  readonly trace: Trace;
}

/** What is made, and what it runs through. */
export interface Ready {
  readonly exchange: Exchange;
  readonly pipeline: Pipeline;
}

interface Admitted extends Ready {
  readonly counted: Counted;
}

/** Decides whether a call may be made, and where it goes. */
export class Admission {
  readonly #parts: AdmissionParts;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  /** Counted first and judged then, though what is wrong with the call itself is told before that there are too many. */
  async admit(arrived: Arrived, caller: Known): Promise<Admitted> {
    const passing = passThrough(this.#parts.turnstiles, caller, rawHeadersOf(arrived.received));
    const counted = passing instanceof Promise ? await passing : passing;
    try {
      const turnstile = this.#parts.turnstiles[caller.caller.kind];
      const preparing =
        turnstile?.prepare === undefined
          ? this.#prepared(arrived, counted.known)
          : turnstile.prepare(arrived, counted.known);
      const { exchange, pipeline } = preparing instanceof Promise ? await preparing : preparing;
      if (counted.refusal !== undefined) throw counted.refusal;
      return { exchange, pipeline, counted };
    } catch (thrown) {
      counted.unused();
      this.#turnAway(arrived, counted.known, thrown);
      throw thrown;
    }
  }

  /** Anonymous ones are not told of: anybody could fill the request log with them. */
  #turnAway({ id, received, trace: { startedAtMs } }: Arrived, known: Known, thrown: unknown): void {
    if (known.session !== undefined) return;
    this.#parts.reports.turnedAway({ id, known, received, startedAtMs, thrown });
  }

  /** After authentication and the body, in the order of the contract: pipeline, provider key. */
  #prepared({ id, received, presence, trace }: Arrived, known: Known): Ready | Promise<Ready> {
    const { credentials, directory, pipelines, prices } = this.#parts;
    const model = checkedModel(received);
    // What a client named itself is told whoever asks; what has to be derived only when somebody does.
    const conversation = broughtName(received);
    if (conversation !== undefined) trace.tell('conversation', conversation);
    const { pipeline } = pipelines.choose(received.header('x-weir-pipeline'), known.pipelineConfig);
    const target = directory.resolve(model);
    const finder = credentials.of({ known, headers: rawHeadersOf(received) });
    const paid = finder.find(target);
    const { caller } = known;
    const ready = (): Ready => {
      if (prices.unknownModels === 'refuse')
        checkPriced(prices.catalog.priced(target.provider, target.model), target, prices.unknownModels);
      return {
        exchange: new Exchange({ id, received, caller, target, presence, trace, credentials: finder }),
        pipeline,
      };
    };
    return paid instanceof Promise ? paid.then(ready) : ready();
  }
}

/** The little that the gateway itself needs of a body; the rest is for the provider to judge. */
export function checkedModel({ asked: { model, stream }, fields }: Received): string {
  if (model == null && isJsonObject(fields.get('prompt')))
    throw new GatewayError(
      'invalid_request',
      '"model" is missing: a stored prompt may name one, but it lies with its provider, and without "model" nobody knows which that is; name the model in the call',
      { param: 'model' },
    );
  if (typeof model !== 'string' || model === '')
    throw new GatewayError('invalid_request', '"model" must be a string that names a model', {
      param: 'model',
    });
  if (model.length > limits.modelNameMax)
    throw new GatewayError('invalid_request', `"model" has at most ${limits.modelNameMax} characters`, {
      param: 'model',
    });
  if (!model.isWellFormed())
    throw new GatewayError('invalid_request', '"model" must not have half of a surrogate pair in it', {
      param: 'model',
    });
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean')
    throw new GatewayError('invalid_request', '"stream" must be true or false', { param: 'stream' });
  if (fields.has('messages') && fields.listBytes('messages') === undefined)
    throw new GatewayError('invalid_request', '"messages" must be an array', { param: 'messages' });
  return model;
}
