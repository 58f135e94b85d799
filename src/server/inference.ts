import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Admission } from '../calls/admission.ts';
import type { Callers } from '../calls/callers.ts';
import type { Passage } from '../calls/passage.ts';
import { Received } from '../kernel/exchange.ts';
import { limits } from '../kernel/limits.ts';
import { OpenList } from '../kernel/open-list.ts';
import { Outline } from '../kernel/outline.ts';
import { Presence } from '../kernel/presence.ts';
import { Trace } from '../kernel/trace.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Ballast, Load } from './ballast.ts';
import { readBody } from './body.ts';
import { deliver } from './deliver.ts';
import { refuse } from './refuse.ts';
import type { Call } from './respond.ts';
import type { SlowBodies } from './slow-bodies.ts';

export interface InferenceParts {
  readonly callers: Callers;
  readonly admission: Admission;
  readonly passage: Passage;
  /** What requests under way weigh together. */
  readonly ballast: Ballast;
  readonly slowBodies: SlowBodies;
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
    const { callers, admission, passage, ballast, slowBodies, metrics, log, keepAliveMs } = this.#parts;
    const presence = new Presence();
    this.#open.add(presence);
    res.on('close', () => {
      if (!res.writableFinished) presence.leave();
    });
    let held: Load | undefined;
    try {
      const { id, path, query } = call;
      const headers = req.rawHeaders;
      const known = await callers.identify(headers);
      const load = ballast.load(known.accountId);
      held = load;
      const bytes = await readBody(req, { bytesMax: limits.bodyBytesMax, load, slowBodies });
      const trace = new Trace(performance.now());
      const received = new Received({ wire, fields: Outline.of(bytes), headers, query, path, load });
      const admitted = await admission.admit({ id, received, presence, trace }, known);
      const underway = await passage.run(admitted.exchange, admitted.pipeline, admitted.counted);
      await deliver({ res, call, underway, metrics, keepAliveMs });
    } catch (thrown) {
      refuse(thrown, { res, call, wire, log });
    } finally {
      held?.release();
      this.#open.delete(presence);
    }
  }
}
