import type { Admission } from '../calls/admission.ts';
import type { CallReceipts } from '../calls/call-receipts.ts';
import type { CallRunner } from '../calls/call-runner.ts';
import type { CallerAuthenticator } from '../calls/caller-authenticator.ts';
import type { HttpRequest } from '../http/request.ts';
import type { HttpResponse } from '../http/response.ts';
import { ClientPresence } from '../kernel/client-presence.ts';
import { ClientRequest } from '../kernel/client-request.ts';
import type { Exchange } from '../kernel/exchange.ts';
import { LazyJsonObject } from '../kernel/json/lazy-json-object.ts';
import type { Handler } from '../kernel/module.ts';
import type { RelayRequest, RelayRoute } from '../kernel/relay.ts';
import type { StoredObjectOrigin } from '../kernel/stored-object.ts';
import { Trace } from '../kernel/trace.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import { IntrusiveList } from '../lib/intrusive-list.ts';
import type { OpenUpload, RelayVariant, ResponseHandler } from '../providers/relay-upstream.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { readBody } from './body.ts';
import type { BodyMemoryBudget, MemoryReservation } from './body-memory-budget.ts';
import { streamBody } from './body-stream.ts';
import { deliverRelay } from './delivery/deliver-relay.ts';
import type { FormSpool, FormSpools } from './form-spools.ts';
import { type FormUpload, readFormModel } from './form-upload.ts';
import { limitListener } from './limit-headers.ts';
import { limits } from './limits.ts';
import { rejectCall } from './reject-call.ts';
import type { RequestContext } from './respond.ts';
import type { SlowBodyMonitor } from './slow-body-monitor.ts';

export interface RelayParts {
  readonly callers: CallerAuthenticator;
  readonly admission: Admission;
  readonly callRunner: CallRunner;
  /** Sends a call to the endpoint of its provider. */
  relayUpstream(variant: RelayVariant): Handler;
  readonly receipts: CallReceipts;
  readonly memoryBudget: BodyMemoryBudget;
  readonly slowBodies: SlowBodyMonitor;
  readonly spools: FormSpools;
  readonly metrics: Metrics;
  readonly log: Log;
  /** How long a stream may be silent before a keep-alive. */
  readonly keepAliveMs: number;
}

/** Handles calls to endpoints without a canonical form: counted, held, metered and logged like any call, without being read. */
export class RelayHandler {
  readonly #parts: RelayParts;
  readonly #inFlight = new IntrusiveList<ClientPresence>();

  constructor(parts: RelayParts) {
    this.#parts = parts;
  }

  get openCalls(): number {
    return this.#inFlight.size;
  }

  /** Aborts every open call. */
  abortAll(): void {
    for (const clientPresence of this.#inFlight.snapshot()) clientPresence.leave();
  }

  async handle(req: HttpRequest, res: HttpResponse, relayContext: RelayContext): Promise<void> {
    const { context, wire, hooks } = relayContext;
    const { callers, admission, callRunner, receipts, memoryBudget, metrics, log, keepAliveMs } = this.#parts;
    const presence = new ClientPresence();
    this.#inFlight.add(presence);
    res.onAbort(() => presence.leave());
    let memory: MemoryReservation | undefined;
    let letGo: (() => void) | undefined;
    let spool: FormSpool | undefined;
    const trace = new Trace(performance.now());
    let isAdmitted = false;
    try {
      const { id, path, query, clientAddress } = context;
      const { headers } = req;
      // Without a wire format, since anonymous sessions may not call these endpoints.
      let identity = await callers.identify(headers, clientAddress);
      context.accountId = identity.accountId;
      context.keyId = identity.key?.keyId;
      const reservation = memoryBudget.reserve(identity.accountId);
      memory = reservation;
      spool = this.#parts.spools.open(identity.accountId);
      const pending = { id, presence, trace, onLimited: limitListener(context, wire) };
      let isRated = false;
      const beforeSpooling = async () => {
        if (isAdmitted) return;
        const clientRequest = this.#requestWithoutBody(req, relayContext, reservation);
        identity = await admission.admitUpload({ ...pending, clientRequest }, identity);
        isRated = true;
      };
      const body = await this.#readBody(req, relayContext.route, { reservation, spool, beforeSpooling });
      const { fields, bodyBytes } = body;
      // It is parsed.
      if (hooks?.prepare !== undefined) reservation.add(bodyBytes ?? 0);
      const { route, origin, models, isOwn } = (await hooks?.prepare?.(fields, path)) ?? {
        models: undefined,
        isOwn: undefined,
        ...relayContext,
      };
      const model = modelOf(route, path, body);
      // What the client took to send the body is not the call's time.
      trace.startedAtMs = performance.now();
      const clientRequest = new ClientRequest({
        wire,
        fields,
        headers,
        query,
        path,
        memoryReservation: reservation,
        relay: { route, model, ...textsOf(body), bodyBytes, origin, models, isOwn },
      });
      letGo = clientRequest.retain();
      const call = await admission.admit({ ...pending, clientRequest, isRated }, identity);
      isAdmitted = true;
      context.isCounted = true;
      const openUpload = withListener(body.openUpload, call.exchange, hooks);
      const send = this.#parts.relayUpstream({ openUpload, onResponse: hooks?.onResponse });
      const upstream = hooks?.around?.(send, openUpload) ?? send;
      const inFlightCall = await callRunner.run(call.exchange, call.pipeline, call.countedCall, upstream);
      // A receipt has a hash of the request, which a streamed one has no bytes for.
      const receipt =
        route.body === 'json'
          ? receipts.open(call.countedCall.identity, inFlightCall, clientRequest.bytes)
          : undefined;
      await deliverRelay({ res, context, inFlightCall, metrics, keepAliveMs, receipt });
    } catch (thrown) {
      rejectCall(thrown, { res, context, wire, log });
    } finally {
      if (!isAdmitted) trace.end();
      letGo?.();
      memory?.release();
      await spool?.close();
      this.#inFlight.delete(presence);
    }
  }

  async #readBody(
    req: HttpRequest,
    route: RelayRoute,
    { reservation, ...places }: BodyPlaces,
  ): Promise<ReceivedBody> {
    const { slowBodies } = this.#parts;
    const contentLength = Number.isNaN(req.body.contentLength) ? undefined : req.body.contentLength;
    if (route.body === 'none') return { fields: noFields, bodyBytes: 0 };
    if (route.body === 'json') {
      const bytes = await readBody(req, { bytesMax: limits.bodyBytesMax, reservation, slowBodies });
      return { fields: LazyJsonObject.of(bytes), bodyBytes: bytes.byteLength };
    }
    const chunks = streamBody(req, { bytesMax: limits.uploadBytesMax, slowBodies });
    const streamed = { fields: noFields, bodyBytes: contentLength };
    if (route.body === 'bytes') return { ...streamed, openUpload: () => ({ chunks, length: contentLength }) };
    reservation.add(limits.formBytesHeldMax);
    const form = await readFormModel(chunks, req.header('content-type') ?? '', places);
    return {
      ...streamed,
      form,
      openUpload: (changes) => ({
        chunks: form.chunks(changes),
        length: contentLength === undefined ? undefined : contentLength + form.addedBytes(changes),
      }),
    };
  }

  /** A form whose model is unknown goes to disk only for callers who may make a call. */
  #requestWithoutBody(
    { headers }: HttpRequest,
    { context: { path, query }, wire, route }: RelayContext,
    memoryReservation: MemoryReservation,
  ): ClientRequest {
    const relay = { route, model: '', fields: noFields, bodyBytes: undefined };
    return new ClientRequest({ wire, fields: noFields, headers, query, path, relay, memoryReservation });
  }
}

export interface RelayContext {
  readonly context: RequestContext;
  readonly wire: WireFormat;
  readonly route: RelayRoute;
  /** Where the object of the call was made. */
  readonly origin?: StoredObjectOrigin | undefined;
  /** Whether the gateway itself answers. */
  readonly isOwn?: boolean | undefined;
  readonly hooks?: RelayHooks | undefined;
}

/** What the handler of an endpoint adds to a relay. */
export interface RelayHooks {
  /** Called with the body and the path, before the call is admitted. */
  prepare?(fields: LazyJsonObject, path: string): Promise<PreparedRelay>;
  /** Wraps what sends the call, or takes its place. */
  around?(send: Handler, openUpload: OpenUpload | undefined): Handler;
  /** Sees the body of an upload as it passes. */
  onUpload?(chunk: Uint8Array, exchange: Exchange): void;
  readonly onResponse?: ResponseHandler | undefined;
}

/** What a body says about its call. */
export interface PreparedRelay {
  readonly route: RelayRoute;
  readonly origin?: StoredObjectOrigin | undefined;
  readonly models?: readonly string[] | undefined;
  readonly isOwn?: boolean | undefined;
}

/** Where a body is kept. */
interface BodyPlaces {
  readonly reservation: MemoryReservation;
  readonly spool: FormSpool;
  readonly beforeSpooling: () => Promise<void>;
}

interface ReceivedBody {
  readonly fields: LazyJsonObject;
  readonly bodyBytes: number | undefined;
  readonly form?: FormUpload;
  /** A streamed body. */
  readonly openUpload?: OpenUpload;
}

/** The fields of a body as far as they have arrived. */
function textsOf({ fields, form }: ReceivedBody): Pick<RelayRequest, 'fields' | 'form'> {
  return form === undefined ? { fields } : { form, fields: { get: (name) => form.texts[name] } };
}

function withListener(
  openUpload: OpenUpload | undefined,
  exchange: Exchange,
  { onUpload }: RelayHooks = {},
): OpenUpload | undefined {
  if (openUpload === undefined || onUpload === undefined) return openUpload;
  return (changes) => {
    const upload = openUpload(changes);
    return { ...upload, chunks: listenTo(upload.chunks, (chunk) => onUpload(chunk, exchange)) };
  };
}

async function* listenTo(
  chunks: AsyncIterable<Uint8Array>,
  onChunk: (chunk: Uint8Array) => void,
): AsyncIterable<Uint8Array> {
  for await (const chunk of chunks) {
    onChunk(chunk);
    yield chunk;
  }
}

const noFields = LazyJsonObject.of(Buffer.from('{}'));

/** Empty if the request names none, which admission rejects; an endpoint without models has its own name there. */
function modelOf(route: RelayRoute, path: string, { fields, form }: ReceivedBody): string {
  if (route.defaultProvider !== undefined) return route.endpoint;
  const model = route.modelIn?.(path) ?? form?.model ?? fields.get('model') ?? route.defaultModel;
  return typeof model === 'string' ? model : '';
}
