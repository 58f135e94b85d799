import type { CallLine } from '../calls/own-batches/call-lines.ts';
import type { LineCallers } from '../calls/own-batches/line-callers.ts';
import type { LineAnswer } from '../calls/own-batches/line-outcome.ts';
import type { OwnBatchMaker } from '../calls/own-batches/own-batch-maker.ts';
import { HttpRequest } from '../http/request.ts';
import { RequestBody } from '../http/request-body.ts';
import { HttpResponse, type ResponseConnection } from '../http/response.ts';
import { LazyJsonObject } from '../kernel/json/lazy-json-object.ts';
import { patchJson } from '../kernel/json/patch-json.ts';
import { type HeaderList, headerOf } from '../lib/headers.ts';
import type { DataPlaneRouter } from './data-plane.ts';
import { asGatewayError, type RequestContext } from './respond.ts';

interface LineCallsParts {
  readonly callers: LineCallers;
  readonly router: DataPlaneRouter;
  requestId(): string;
  /** The name that a provider's model has here; the gateway's own models keep theirs. */
  modelOf(name: string): string;
}

/** Makes the calls of batches: each takes the way of a call that came over HTTP. */
export class LineCalls {
  readonly #parts: LineCallsParts;
  readonly #open = new Set<HttpResponse>();

  constructor(parts: LineCallsParts) {
    this.#parts = parts;
  }

  /** Breaks off all calls, whose answers nobody will know. */
  abortAll(): void {
    for (const response of this.#open) response.abort();
  }

  async call(
    { path, model, body }: CallLine,
    { caller, headers, address }: OwnBatchMaker,
  ): Promise<LineAnswer> {
    const { callers, router, requestId, modelOf } = this.#parts;
    const id = requestId();
    const context: RequestContext = { id, path, query: '', clientAddress: address, cors: [] };
    const route = router(path, 'POST', headers);
    if (route === undefined) throw new Error(`a batch has calls to ${path}`);
    const name = modelOf(model);
    const bytes = name === model ? body : patchJson(LazyJsonObject.of(body), { model: name });
    const identity = callers.open(caller);
    const kept = new KeptResponse(path, [...headers, ...identity.headers], bytes);
    this.#open.add(kept.response);
    try {
      await route.handler.handle(kept.request, kept.response, context, route.wire);
    } catch (thrown) {
      context.failure ??= asGatewayError(thrown);
    } finally {
      identity.close();
      this.#open.delete(kept.response);
    }
    const { status, body: answer, isComplete, costUsd } = kept;
    const costNanoUsd = Math.round(costUsd * 1e9);
    return { requestId: id, status, body: answer, isComplete, costNanoUsd, failure: context.failure };
  }
}

/** A request as of HTTP, whose response is kept in memory. */
class KeptResponse implements ResponseConnection {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly needsDrain = false;
  status = 0;
  isComplete = false;
  #headers: HeaderList = [];
  readonly #pieces: Buffer[] = [];

  constructor(path: string, headers: HeaderList, bytes: Uint8Array) {
    const body = new RequestBody(bytes.byteLength, arrivedAlready);
    body.push(Buffer.from(bytes), true);
    const head = {
      method: 'POST',
      target: path,
      headers: [...headers, 'content-type', 'application/json', 'content-length', String(bytes.byteLength)],
      isHttp10: false,
    };
    this.request = new HttpRequest(head, body, { remoteAddress: undefined });
    this.response = new HttpResponse(this.request, this);
  }

  get body(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  get costUsd(): number {
    return Number(headerOf(this.#headers, 'x-weir-cost-usd') ?? 0);
  }

  buildHead(status: number, headers: HeaderList): ReturnType<ResponseConnection['buildHead']> {
    this.status = status;
    this.#headers = headers;
    return { text: '', framing: 'length', keepsAlive: true };
  }

  send(...pieces: readonly (Uint8Array | string)[]): void {
    for (const piece of pieces) this.#pieces.push(Buffer.from(piece));
  }

  end(_keepsAlive: boolean, ...pieces: readonly (Uint8Array | string)[]): void {
    this.send(...pieces);
    this.isComplete = true;
  }

  destroy(): void {
    this.response.abort();
  }

  closeSoon(): void {
    this.destroy();
  }

  reset(): void {
    this.destroy();
  }

  takeSocket(): undefined {
    return undefined;
  }
}

const arrivedAlready = { pause: () => undefined, resume: () => undefined, sendContinue: () => undefined };
