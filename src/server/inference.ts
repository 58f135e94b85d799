import type { Admission } from '../calls/admission.ts';
import type { CallReceipts } from '../calls/call-receipts.ts';
import type { Callers } from '../calls/callers.ts';
import { inOwnWords } from '../calls/own-words.ts';
import type { Passage } from '../calls/passage.ts';
import type { HttpRequest } from '../http/request.ts';
import type { HttpResponse } from '../http/response.ts';
import { operatorPays } from '../kernel/caller.ts';
import { limits } from '../kernel/limits.ts';
import { OpenList } from '../kernel/open-list.ts';
import { Outline } from '../kernel/outline.ts';
import { Presence } from '../kernel/presence.ts';
import { Received } from '../kernel/received.ts';
import { Trace } from '../kernel/trace.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Ballast, Load } from './ballast.ts';
import { readBody } from './body.ts';
import { deliver } from './delivery/deliver.ts';
import { refuse } from './refuse.ts';
import type { Call } from './respond.ts';
import type { SlowBodies } from './slow-bodies.ts';

export interface InferenceParts {
  readonly callers: Callers;
  readonly admission: Admission;
  readonly passage: Passage;
  readonly receipts: CallReceipts;
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

  async handle(req: HttpRequest, res: HttpResponse, call: Call, wire: WireFormat): Promise<void> {
    const { callers, admission, passage, receipts, ballast, slowBodies, metrics, log, keepAliveMs } =
      this.#parts;
    const presence = new Presence();
    this.#open.add(presence);
    res.onGone(() => presence.leave());
    let held: Load | undefined;
    let letGo: (() => void) | undefined;
    let isGuest = false;
    try {
      const { id, path, query } = call;
      const headers = req.headers;
      const identifying = callers.identify(headers, wire);
      const known = identifying instanceof Promise ? await identifying : identifying;
      isGuest = operatorPays(known.caller);
      const load = ballast.load(known.accountId);
      held = load;
      const bytesMax = isGuest ? limits.paidBodyBytesMax : limits.bodyBytesMax;
      const bytes = await readBody(req, { bytesMax, load, slowBodies });
      const trace = new Trace(performance.now());
      const received = new Received({ wire, fields: Outline.of(bytes), headers, query, path, load });
      letGo = received.keep();
      const admitted = await admission.admit({ id, received, presence, trace }, known);
      const underway = await passage.run(admitted.exchange, admitted.pipeline, admitted.counted);
      const receipt = receipts.open(admitted.counted.known, underway, received.bytes);
      await deliver({ res, call, underway, metrics, keepAliveMs, receipt });
    } catch (thrown) {
      refuse(isGuest ? inOwnWords(thrown) : thrown, { res, call, wire, log });
    } finally {
      letGo?.();
      held?.release();
      this.#open.delete(presence);
    }
  }
}
