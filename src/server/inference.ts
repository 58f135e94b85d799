import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Callers, Known } from '../calls/callers.ts';
import type { Continuing } from '../calls/continuing.ts';
import type { Credentials } from '../calls/credentials.ts';
import type { Passage } from '../calls/passage.ts';
import type { PipelineChoice } from '../calls/pipeline-choice.ts';
import type { CallReports } from '../calls/reports.ts';
import type { Counted, Turnstile } from '../calls/turnstile.ts';
import { GatewayError } from '../kernel/errors.ts';
import { Exchange, Received } from '../kernel/exchange.ts';
import { headerOf } from '../kernel/headers.ts';
import { parseBody } from '../kernel/json.ts';
import { limits } from '../kernel/limits.ts';
import { OpenList } from '../kernel/open-list.ts';
import type { Pipeline } from '../kernel/pipeline.ts';
import { Presence } from '../kernel/presence.ts';
import { Trace } from '../kernel/trace.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import type { Catalog } from '../providers/catalog/catalog.ts';
import { checkPriced, type UnknownModels } from '../providers/catalog/check-priced.ts';
import type { Directory } from '../providers/directory.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { readBody } from './body.ts';
import { deliver } from './deliver.ts';
import { refuse } from './refuse.ts';
import { asGatewayError, type Call } from './respond.ts';

export interface InferenceParts {
  readonly callers: Callers;
  readonly credentials: Credentials;
  readonly directory: Directory;
  readonly pipelines: PipelineChoice;
  readonly continuing: Continuing;
  readonly prices: { readonly catalog: Catalog; readonly unknownModels: UnknownModels };
  readonly turnstile: Turnstile;
  readonly passage: Passage;
  readonly reports: CallReports;
  readonly metrics: Metrics;
  readonly log: Log;
  /** How long a stream may be silent. */
  readonly keepAliveMs: number;
}

interface Arrived {
  readonly call: Call;
  readonly received: Received;
  readonly presence: Presence;
  readonly trace: Trace;
}

interface Ready {
  readonly exchange: Exchange;
  readonly pipeline: Pipeline;
}

interface Admitted extends Ready {
  readonly counted: Counted;
}

/** The data plane: one call from its first byte to its last, on the raw request and response. */
export class Inference {
  readonly #parts: InferenceParts;
  readonly #open = new OpenList<Presence>();

  constructor(parts: InferenceParts) {
    this.#parts = parts;
  }

  /** Calls that have not ended yet. */
  get openCalls(): number {
    return this.#open.size;
  }

  /** Gives every open call up. */
  abortAll(): void {
    for (const presence of this.#open.snapshot()) presence.leave();
  }

  async handle(req: IncomingMessage, res: ServerResponse, call: Call, wire: WireFormat): Promise<void> {
    const { callers, passage, metrics, log, keepAliveMs } = this.#parts;
    const presence = new Presence();
    this.#open.add(presence);
    res.on('close', () => {
      if (!res.writableFinished) presence.leave();
    });
    try {
      const headers = req.rawHeaders;
      const found = callers.identify(headers);
      const known = found instanceof Promise ? await found : found;
      const bytes = await readBody(req, limits.bodyBytesMax);
      const trace = new Trace(performance.now());
      const received = new Received({ wire, bytes, body: parseBody(bytes), headers, query: call.query });
      const admitting = this.#admitted({ call, received, presence, trace }, known);
      const { exchange, pipeline, counted } = admitting instanceof Promise ? await admitting : admitting;
      const underway = await passage.run(exchange, pipeline, counted);
      await deliver({ res, call, exchange, underway, metrics, keepAliveMs });
    } catch (thrown) {
      refuse(thrown, { res, call, wire, log });
    } finally {
      this.#open.delete(presence);
    }
  }

  /** Counted first and judged then, though what is wrong with the call itself is told before that there are too many. */
  #admitted(arrived: Arrived, known: Known): Admitted | Promise<Admitted> {
    const passed = this.#parts.turnstile.pass(known, arrived.received.headers);
    return passed instanceof Promise
      ? passed.then((counted) => this.#judged(arrived, counted))
      : this.#judged(arrived, passed);
  }

  #judged(arrived: Arrived, counted: Counted): Admitted | Promise<Admitted> {
    try {
      const prepared = this.#prepared(arrived, counted.known);
      if (!(prepared instanceof Promise)) return admitted(prepared, counted);
      return prepared
        .then((ready) => admitted(ready, counted))
        .catch((thrown) => this.#turnAway(thrown, arrived, counted));
    } catch (thrown) {
      return this.#turnAway(thrown, arrived, counted);
    }
  }

  #turnAway(thrown: unknown, { call, received, trace }: Arrived, counted: Counted): never {
    counted.unused();
    this.#parts.reports.turnedAway({
      id: call.id,
      known: counted.known,
      received,
      startedAtMs: trace.startedAtMs,
      error: asGatewayError(thrown),
    });
    throw thrown;
  }

  /** After authentication and the body, in the order of the contract: pipeline, provider key. */
  #prepared(arrived: Arrived, known: Known): Ready | Promise<Ready> {
    const { credentials, directory, pipelines } = this.#parts;
    const { received } = arrived;
    const { headers } = received;
    const model = checkedModel(received);
    const { pipeline } = pipelines.choose(headerOf(headers, 'x-weir-pipeline'), known.pipelineConfig);
    const target = credentials.target({ known, headers, resolved: directory.resolve(model) });
    const ready = (found: Exchange['target']) => this.#ready({ ...arrived, known, pipeline, target: found });
    return target instanceof Promise ? target.then(ready) : ready(target);
  }

  #ready(facts: Arrived & { known: Known; pipeline: Pipeline; target: Exchange['target'] }): Ready {
    const { call, received, presence, trace, known, pipeline, target } = facts;
    const { catalog, unknownModels } = this.#parts.prices;
    if (unknownModels === 'refuse')
      checkPriced(catalog.priced(target.provider, target.model), target, unknownModels);
    const exchange = new Exchange({ id: call.id, received, caller: known.caller, target, presence, trace });
    return { exchange, pipeline: this.#parts.continuing.around(pipeline, exchange) };
  }
}

function admitted({ exchange, pipeline }: Ready, counted: Counted): Admitted {
  if (counted.refusal !== undefined) throw counted.refusal;
  return { exchange, pipeline, counted };
}

/** The little that the gateway itself needs of a body; the rest is for the provider to judge. */
export function checkedModel({ body }: Received): string {
  const { model, stream, messages } = body;
  if (typeof model !== 'string' || model === '')
    throw new GatewayError('invalid_request', '"model" must be a string that names a model', {
      param: 'model',
    });
  if (model.length > limits.modelNameMax)
    throw new GatewayError('invalid_request', `"model" has at most ${limits.modelNameMax} characters`, {
      param: 'model',
    });
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean')
    throw new GatewayError('invalid_request', '"stream" must be true or false', { param: 'stream' });
  if (messages !== undefined && !Array.isArray(messages))
    throw new GatewayError('invalid_request', '"messages" must be an array', { param: 'messages' });
  return model;
}
