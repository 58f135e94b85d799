import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Admission } from '../calls/admission.ts';
import type { Callers } from '../calls/callers.ts';
import type { Passage } from '../calls/passage.ts';
import { Received } from '../kernel/exchange.ts';
import { limits } from '../kernel/limits.ts';
import { OpenList } from '../kernel/open-list.ts';
import { parseBody } from '../kernel/parse-body.ts';
import { Presence } from '../kernel/presence.ts';
import { Trace } from '../kernel/trace.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { readBody } from './body.ts';
import { deliver } from './deliver.ts';
import { refuse } from './refuse.ts';
import type { Call } from './respond.ts';

export interface InferenceParts {
  readonly callers: Callers;
  readonly admission: Admission;
  readonly passage: Passage;
  readonly metrics: Metrics;
  readonly log: Log;
  /** How long a stream may be silent. */
  readonly keepAliveMs: number;
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
    const { callers, admission, passage, metrics, log, keepAliveMs } = this.#parts;
    const presence = new Presence();
    this.#open.add(presence);
    res.on('close', () => {
      if (!res.writableFinished) presence.leave();
    });
    try {
      const { id, path, query } = call;
      const headers = req.rawHeaders;
      const known = await callers.identify(headers);
      const bytes = await readBody(req, limits.bodyBytesMax);
      const trace = new Trace(performance.now());
      const received = new Received({ wire, bytes, body: parseBody(bytes), headers, query, path });
      const admitted = await admission.admit({ id, received, presence, trace }, known);
      const underway = await passage.run(admitted.exchange, admitted.pipeline, admitted.counted);
      await deliver({ res, call, underway, metrics, keepAliveMs });
    } catch (thrown) {
      refuse(thrown, { res, call, wire, log });
    } finally {
      this.#open.delete(presence);
    }
  }
}
