import type { CallLine } from '../calls/own-batches/call-lines.ts';
import type { LineCallers } from '../calls/own-batches/line-callers.ts';
import type { LineAnswer } from '../calls/own-batches/line-outcome.ts';
import type { OwnBatchMaker } from '../calls/own-batches/own-batch-maker.ts';
import type { HttpResponse } from '../http/response.ts';
import { LazyJsonObject } from '../kernel/json/lazy-json-object.ts';
import { patchJson } from '../kernel/json/patch-json.ts';
import { type HeaderList, headerOf } from '../lib/headers.ts';
import { CallInMemory } from './call-in-memory.ts';
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

/** A call whose response is kept in memory. */
class KeptResponse extends CallInMemory {
  readonly needsDrain = false;
  status = 0;
  isComplete = false;
  #headers: HeaderList = [];
  readonly #pieces: Buffer[] = [];

  constructor(path: string, headers: HeaderList, bytes: Uint8Array) {
    const described = ['content-type', 'application/json', 'content-length', String(bytes.byteLength)];
    super(path, [...headers, ...described], Buffer.from(bytes));
  }

  get body(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  get costUsd(): number {
    return Number(headerOf(this.#headers, 'x-weir-cost-usd') ?? 0);
  }

  onHead(status: number, headers: HeaderList): void {
    this.status = status;
    this.#headers = headers;
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
}
