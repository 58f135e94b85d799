import type { Admission } from '../calls/admission.ts';
import type { BackgroundAnswers } from '../calls/background-answers.ts';
import type { CallReceipts } from '../calls/call-receipts.ts';
import type { CallRunner } from '../calls/call-runner.ts';
import type { CallerAuthenticator } from '../calls/caller-authenticator.ts';
import { hideProviderError } from '../calls/hide-provider-error.ts';
import type { InFlightCall } from '../calls/in-flight-call.ts';
import { limits as callsLimits } from '../calls/limits.ts';
import type { CallRecordings } from '../calls/recordings/call-recordings.ts';
import type { OpenRecording } from '../calls/recordings/open-recording.ts';
import type { HttpRequest } from '../http/request.ts';
import type { HttpResponse } from '../http/response.ts';
import { operatorPays, scopeOf } from '../kernel/caller.ts';
import { ClientPresence } from '../kernel/client-presence.ts';
import { ClientRequest } from '../kernel/client-request.ts';
import { LazyJsonObject } from '../kernel/json/lazy-json-object.ts';
import { Trace } from '../kernel/trace.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import { IntrusiveList } from '../lib/intrusive-list.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { readBody } from './body.ts';
import type { BodyMemoryBudget, MemoryReservation } from './body-memory-budget.ts';
import { deliver } from './delivery/deliver.ts';
import { limitListener } from './limit-headers.ts';
import { limits } from './limits.ts';
import { rejectCall } from './reject-call.ts';
import { type RequestContext, sendResponse } from './respond.ts';
import type { SlowBodyMonitor } from './slow-body-monitor.ts';

export interface InferenceParts {
  readonly callers: CallerAuthenticator;
  readonly admission: Admission;
  readonly callRunner: CallRunner;
  /** Undefined if every client waits for its answer. */
  readonly backgroundAnswers?: BackgroundAnswers;
  readonly receipts: CallReceipts;
  readonly recordings: CallRecordings;
  readonly memoryBudget: BodyMemoryBudget;
  readonly slowBodies: SlowBodyMonitor;
  readonly metrics: Metrics;
  readonly log: Log;
  /** How long a stream may be silent before a keep-alive. */
  readonly keepAliveMs: number;
}

/** Handles one call from its first byte to its last, on the raw request and response. */
export class InferenceHandler {
  readonly #parts: InferenceParts;
  readonly #inFlight = new IntrusiveList<ClientPresence>();

  constructor(parts: InferenceParts) {
    this.#parts = parts;
  }

  get openCalls(): number {
    return this.#inFlight.size;
  }

  /** Aborts every open call. */
  abortAll(): void {
    for (const clientPresence of this.#inFlight.snapshot()) clientPresence.leave();
  }

  async handle(
    req: HttpRequest,
    res: HttpResponse,
    context: RequestContext,
    wire: WireFormat,
  ): Promise<void> {
    const {
      callers: callerAuthenticator,
      admission,
      callRunner,
      backgroundAnswers,
      receipts,
      recordings,
      memoryBudget,
      slowBodies: slowBodyMonitor,
      metrics,
      log,
      keepAliveMs,
    } = this.#parts;
    const clientPresence = new ClientPresence();
    this.#inFlight.add(clientPresence);
    let isInBackground = false;
    res.onAbort(() => {
      if (!isInBackground) clientPresence.leave();
    });
    let memory: MemoryReservation | undefined;
    const retained: (() => void)[] = [];
    const letGo = () => {
      for (const release of retained) release();
    };
    const retain = (request: ClientRequest) => {
      const release = request.retain();
      if (release !== undefined) retained.push(release);
    };
    let isGuest = false;
    let recording: OpenRecording | undefined;
    let inFlightCall: InFlightCall | undefined;
    let failure: unknown;
    try {
      const { id, path, query, clientAddress, socket } = context;
      const headers = req.headers;
      const callerIdentity = await callerAuthenticator.identify(headers, clientAddress, wire);
      isGuest = operatorPays(callerIdentity.caller);
      context.accountId = callerIdentity.accountId;
      context.keyId = callerIdentity.key?.keyId;
      const reservation = memoryBudget.reserve(callerIdentity.accountId);
      memory = reservation;
      const bytesMax = isGuest ? callsLimits.paidBodyBytesMax : limits.bodyBytesMax;
      const bytes = await readBody(req, { bytesMax, reservation, slowBodies: slowBodyMonitor });
      const trace = new Trace(performance.now());
      if (!isGuest) context.moduleHeaders = trace.moduleHeaders;
      const clientRequest = new ClientRequest({
        wire,
        fields: LazyJsonObject.ofCall(bytes, scopeOf(callerIdentity.caller)),
        headers,
        query,
        path,
        memoryReservation: reservation,
        socket,
      });
      retain(clientRequest);
      const admittedCall = await admission.admit(
        { id, clientRequest, presence: clientPresence, trace, onLimited: limitListener(context, wire) },
        callerIdentity,
      );
      const { exchange, pipeline, countedCall } = admittedCall;
      const { identity } = countedCall;
      // With its stored prompt.
      const expanded = exchange.clientRequest;
      if (expanded !== clientRequest) retain(expanded);
      context.isCounted = true;
      if (backgroundAnswers?.accepts(admittedCall) === true) {
        isInBackground = true;
        const answer = await backgroundAnswers.start(admittedCall, () =>
          this.#release(clientPresence, reservation, letGo),
        );
        const bytes = Buffer.from(JSON.stringify(answer));
        sendResponse(res, { status: 200, headers: ['content-type', 'application/json'], bytes }, context);
        return;
      }
      const opening = recordings.open(identity, {
        id,
        clientRequest: expanded,
        pipeline: pipeline.text,
        isRedacted: pipeline.redacts,
      });
      recording = opening instanceof Promise ? await opening : opening;
      if (recording !== undefined) {
        res.observe(recording);
        trace.recorder = recording;
        trace.setHeader('recorded', 'true');
      }
      inFlightCall = await callRunner.run(exchange, pipeline, countedCall);
      const receipt = receipts.open(identity, inFlightCall, socket?.message ?? clientRequest.bytes);
      await deliver({ res, context, inFlightCall, metrics, keepAliveMs, receipt });
    } catch (thrown) {
      failure = thrown;
      rejectCall(isGuest ? hideProviderError(thrown) : thrown, { res, context, wire, log });
    } finally {
      if (!isInBackground) this.#release(clientPresence, memory, letGo);
      recording?.close(inFlightCall, failure);
    }
  }

  #release(
    clientPresence: ClientPresence,
    memory: MemoryReservation | undefined,
    letGo: (() => void) | undefined,
  ): void {
    letGo?.();
    memory?.release();
    this.#inFlight.delete(clientPresence);
  }
}
