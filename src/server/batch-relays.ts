import { setImmediate as nextTurn } from 'node:timers/promises';
import { BatchMeter } from '../calls/batches/batch-meter.ts';
import { type Batches, isOpen, type KnownBatch } from '../calls/batches/batches.ts';
import { BatchEstimator, BatchFileReader, priceBatch } from '../calls/batches/estimate-batch.ts';
import { modelInCallPath } from '../calls/batches/model-in-path.ts';
import type { KnownObject, StoredObjects } from '../calls/stored-objects/stored-objects.ts';
import type {
  BatchEstimate,
  BatchFileFormat,
  BatchFormat,
  BatchRequest,
  BatchReservation,
} from '../kernel/batch.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Prices } from '../kernel/ports/prices.ts';
import type { Provider } from '../kernel/provider.ts';
import type { RelayRoute } from '../kernel/relay.ts';
import type { Source } from '../kernel/reply/source.ts';
import type { StoredObjectFacts, StoredObjectList } from '../kernel/stored-object.ts';
import type { Trace } from '../kernel/trace.ts';
import type { JsonObject } from '../lib/json.ts';
import type { CallerDirectory } from '../providers/own/own-directory.ts';
import { limits } from './limits.ts';
import type { PreparedRelay, RelayHooks } from './relay.ts';

interface BatchRelaysParts {
  readonly batches: Batches;
  readonly objects: StoredObjects;
  readonly prices: Prices;
  /** The providers that an account knows. */
  directoryFor(accountId: string): Promise<CallerDirectory>;
  readonly isLocal: boolean;
}

/** An account and a list of its batches. */
interface BatchList {
  readonly scope: string;
  readonly list: StoredObjectList;
  readonly format: BatchFormat;
}

/** A batch that an account asks for, and the name of the provider. */
export interface RequestedBatch {
  readonly route: RelayRoute;
  readonly provider: string;
  readonly accountId: string;
}

/** Hooks, and what they have found out when an answer arrives. */
export interface FactFinder {
  readonly hooks: RelayHooks;
  facts(): StoredObjectFacts;
}

/** What calls about batches need beside those about other objects: an estimate, a reservation, and a bill. */
export class BatchRelays {
  readonly #parts: BatchRelaysParts;

  constructor(parts: BatchRelaysParts) {
    this.#parts = parts;
  }

  /** Estimates the calls in a file while it is uploaded; `isPart` if another request has its beginning. */
  upload(format: BatchFileFormat, isPart: boolean): FactFinder {
    if (isPart) return { hooks: {}, facts: () => ({ estimate: { ...noEstimate, fault: partFault } }) };
    let reader: BatchFileReader | undefined;
    return {
      hooks: {
        onUpload: (chunk, { target }) => {
          reader ??= new BatchFileReader(format, new BatchEstimator(target.provider, this.#parts.prices));
          reader.push(chunk);
        },
      },
      facts: () => ({ estimate: reader?.end() }),
    };
  }

  /** Admits a batch by its estimate, and sets that aside before the provider gets it. */
  creation(of: BatchList, requested: RequestedBatch): FactFinder {
    const { batches } = this.#parts;
    let batch: EstimatedBatch = { estimate: noEstimate, callPath: '' };
    let reservation: BatchReservation | undefined;
    return {
      hooks: {
        prepare: async (fields, path) => {
          const prepared = await this.#prepare(of, requested, of.format.requestIn(fields, path));
          batch = prepared.batch;
          return prepared.relay;
        },
        around: (send) => async (exchange) => {
          reservation = await batches.reserve(exchange, batch.estimate, batch.callPath);
          try {
            return await send(exchange);
          } catch (failure) {
            if (isRefusal(failure)) await batches.release(reservation);
            throw failure;
          }
        },
      },
      facts: () => ({ reservation }),
    };
  }

  /** A provider has made this batch. */
  async confirm({ reservation }: KnownObject): Promise<void> {
    if (reservation !== undefined) await this.#parts.batches.confirm(reservation);
  }

  /** Remembers the files of results, and bills results in the description itself. A batch that ended without any costs nothing. */
  async noteState(of: BatchList, batch: KnownObject, described: JsonObject, trace: Trace): Promise<void> {
    const { scope, list, format } = of;
    const { objects, batches } = this.#parts;
    const { isFinal, hasResults, resultFiles } = format.stateOf(described);
    const { files } = list;
    const { provider, keyName, id } = batch;
    for (const fileId of files === undefined ? [] : resultFiles) {
      const known = files && (await objects.find(scope, files, fileId));
      if (files === undefined || known?.resultsOf !== undefined) continue;
      const value = files.encodeResultFile?.(fileId) ?? {};
      await objects.put(scope, files, {
        ...{ id: fileId, value, purpose: 'batch_output', provider, keyName, resultsOf: id },
      });
    }
    await this.#billInlined(of, batch, described, trace);
    if (isFinal && !hasResults && isOpen(batch))
      await batches.settle({ scope, list, id }, { usage: new Map(), isKnown: true });
  }

  /** The body of results, metered; the last of it is held back until the batch is billed, with the call that reads it. */
  async results(
    { scope, list, format }: BatchList,
    batchId: string,
    body: Source<Uint8Array>,
    trace: Trace,
  ): Promise<Source<Uint8Array>> {
    const batch = await this.#parts.objects.find(scope, list, batchId);
    const meter = batch && (await this.#meter(format, batch));
    if (meter === undefined) return body;
    return new MeteredBody(body, meter, () => this.#bill({ scope, list, id: batchId }, meter, trace));
  }

  async #billInlined(
    { scope, list, format }: BatchList,
    batch: KnownObject,
    described: JsonObject,
    trace: Trace,
  ): Promise<void> {
    const results = format.resultsIn?.(described);
    const meter = results && (await this.#meter(format, batch));
    if (results === undefined || meter === undefined) return;
    for (const result of results) meter.addResult(result);
    await this.#bill({ scope, list, id: batch.id }, meter, trace);
  }

  async #bill(batch: KnownBatch, meter: BatchMeter, trace: Trace): Promise<void> {
    const spent = await this.#parts.batches.settle(batch, meter);
    if (spent !== undefined) trace.addBatch(spent);
  }

  /** Undefined for a batch that was billed. */
  async #meter(format: BatchFormat, batch: KnownObject): Promise<BatchMeter | undefined> {
    const { prices, directoryFor } = this.#parts;
    if (batch.reservation === undefined || !isOpen(batch)) return undefined;
    const { callPath, accountId } = batch.reservation;
    const provider = (await directoryFor(accountId)).provider(batch.provider);
    return new BatchMeter({ format, callPath, provider, prices });
  }

  async #prepare(
    { list, scope }: BatchList,
    { route, provider: requested, accountId }: RequestedBatch,
    { calls, callPath, inputFile }: BatchRequest,
  ): Promise<{ readonly batch: EstimatedBatch; readonly relay: PreparedRelay }> {
    const { prices, directoryFor, objects, isLocal } = this.#parts;
    const file =
      inputFile === undefined || list.files === undefined ? undefined : { list: list.files, id: inputFile };
    const known = file && (await objects.find(scope, file.list, file.id));
    if (file !== undefined && known === undefined && !isLocal)
      throw new GatewayError('not_found', `there is no file "${file.id.slice(0, 100)}"`);
    const provider = (await directoryFor(accountId)).provider(known?.provider ?? requested);
    const found =
      calls === undefined ? known?.estimate : await this.#estimateCalls(calls, callPath, provider);
    const model = modelInCallPath(callPath);
    const estimate =
      found === undefined || model === undefined
        ? (found ?? noEstimate)
        : priceBatch(found, { provider, model }, prices);
    const models = [...new Set([...estimate.models, ...(model === undefined ? [] : [model])])];
    return {
      batch: { estimate, callPath },
      relay: { route: withEstimate(route, estimate), origin: known, models },
    };
  }

  async #estimateCalls(
    calls: readonly JsonObject[],
    path: string,
    provider: Provider,
  ): Promise<BatchEstimate> {
    const estimator = new BatchEstimator(provider, this.#parts.prices);
    let sinceMs = performance.now();
    for (const body of calls) {
      estimator.add({ path, body });
      if (performance.now() - sinceMs < limits.batchTurnMs) continue;
      await nextTurn();
      sinceMs = performance.now();
    }
    return estimator.estimate;
  }
}

interface EstimatedBatch {
  readonly estimate: BatchEstimate;
  readonly callPath: string;
}

const noEstimate: BatchEstimate = {
  calls: 0,
  nanoUsd: 0,
  models: [],
  fault: 'its file was not uploaded through this gateway, or has no calls',
};

const partFault = 'its file was uploaded in several parts: make files smaller than 8 MB';

/** The route of a batch whose cost is known when its results are read, and at most this. */
function withEstimate(route: RelayRoute, { nanoUsd, fault }: BatchEstimate): RelayRoute {
  return {
    ...route,
    price: () => undefined,
    bound() {
      if (fault === undefined) return { nanoUsd };
      throw new GatewayError(
        'invalid_request',
        `this key has a ceiling, and the most that the batch may cost is not known: ${fault}`,
      );
    },
  };
}

/** Whether the provider says that it has not made the batch. */
function isRefusal(failure: unknown): boolean {
  return GatewayError.is(failure) && failure.code === 'upstream_error' && failure.status < 500;
}

/** Passes a body on while it is metered. */
class MeteredBody implements Source<Uint8Array> {
  readonly #body: Source<Uint8Array>;
  readonly #meter: BatchMeter;
  readonly #onEnd: () => Promise<void>;
  #held: Uint8Array | undefined;
  #hasEnded = false;

  constructor(body: Source<Uint8Array>, meter: BatchMeter, onEnd: () => Promise<void>) {
    this.#body = body;
    this.#meter = meter;
    this.#onEnd = onEnd;
  }

  async next(): Promise<Uint8Array | undefined> {
    while (!this.#hasEnded) {
      const chunk = await this.#body.next();
      const earlier = this.#held;
      this.#held = chunk;
      if (chunk === undefined) {
        this.#hasEnded = true;
        if (this.#meter.end()) await this.#onEnd();
        return earlier;
      }
      this.#meter.push(chunk);
      if (earlier !== undefined) return earlier;
    }
    return undefined;
  }

  cancel(): void {
    this.#body.cancel();
  }
}
