import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../kernel/errors.ts';
import { type Caller, Exchange, Received } from '../kernel/exchange.ts';
import { headerOf } from '../kernel/headers.ts';
import { parseBody } from '../kernel/json.ts';
import { limits } from '../kernel/limits.ts';
import { OpenList } from '../kernel/open-list.ts';
import type { Pipeline } from '../kernel/pipeline.ts';
import { Presence } from '../kernel/presence.ts';
import { Trace } from '../kernel/trace.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import type { Directory } from '../providers/directory.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { readBody } from './body.ts';
import type { Continuing } from './continuing.ts';
import type { Credentials } from './credentials.ts';
import { deliver } from './deliver.ts';
import type { Frame } from './frame.ts';
import type { PipelineChoice } from './pipeline-choice.ts';
import { refuse } from './refuse.ts';
import type { Call } from './respond.ts';

export interface InferenceParts {
  readonly credentials: Credentials;
  readonly directory: Directory;
  readonly pipelines: PipelineChoice;
  readonly continuing: Continuing;
  readonly frame: Frame;
  readonly metrics: Metrics;
  readonly log: Log;
  /** How long a stream may be silent. */
  readonly keepAliveMs: number;
}

interface Arrived {
  readonly req: IncomingMessage;
  readonly call: Call;
  readonly wire: WireFormat;
  readonly presence: Presence;
  readonly caller: Caller;
  readonly bytes: Uint8Array;
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
    const { credentials, frame, metrics, log, keepAliveMs } = this.#parts;
    const presence = new Presence();
    this.#open.add(presence);
    res.on('close', () => {
      if (!res.writableFinished) presence.leave();
    });
    try {
      const caller = credentials.authenticate(req.rawHeaders);
      const bytes = await readBody(req, limits.bodyBytesMax);
      const { exchange, pipeline } = this.#exchange({ req, call, wire, presence, caller, bytes });
      const framed = await frame.run(exchange, pipeline);
      await deliver({ res, call, exchange, framed, metrics, keepAliveMs });
    } catch (thrown) {
      refuse(thrown, { res, call, wire, log });
    } finally {
      this.#open.delete(presence);
    }
  }

  /** After authentication and the body, in the order of the contract: pipeline, provider key. */
  #exchange({ req, call, wire, presence, caller, bytes }: Arrived): {
    exchange: Exchange;
    pipeline: Pipeline;
  } {
    const { credentials, directory, pipelines, continuing } = this.#parts;
    const headers = req.rawHeaders;
    const trace = new Trace(performance.now());
    const received = new Received({ wire, bytes, body: parseBody(bytes), headers, query: call.query });
    const model = checkedModel(received);
    const { pipeline } = pipelines.choose(headerOf(headers, 'x-weir-pipeline'));
    const target = credentials.target(headers, directory.resolve(model));
    const exchange = new Exchange({ id: call.id, received, caller, target, presence, trace });
    return { exchange, pipeline: continuing.around(pipeline, exchange) };
  }
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
