import type { CallerAuthenticator } from '../calls/caller-authenticator.ts';
import type { CredentialNames } from '../calls/credential-names.ts';
import { gatewayProvider } from '../calls/own-batches/gateway-batches.ts';
import type { KnownObject, StoredObjects } from '../calls/stored-objects/stored-objects.ts';
import type { HttpRequest } from '../http/request.ts';
import type { HttpResponse } from '../http/response.ts';
import { type Caller, scopeOf } from '../kernel/caller.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Exchange } from '../kernel/exchange.ts';
import { LazyJsonObject } from '../kernel/json/lazy-json-object.ts';
import { patchJson } from '../kernel/json/patch-json.ts';
import { type RelayRoute, wildcardIn } from '../kernel/relay.ts';
import type { ProviderResponse } from '../kernel/reply/provider-response.ts';
import { readBytes } from '../kernel/reply/relay-answer.ts';
import { sourceFromValue } from '../kernel/reply/source.ts';
import type { StoredObjectFacts, StoredObjectList, StoredObjectRoute } from '../kernel/stored-object.ts';
import { type HeaderList, headerOf } from '../lib/headers.ts';
import { type JsonObject, jsonObjectIn } from '../lib/json.ts';
import type { ResponseHandler } from '../providers/relay-upstream.ts';
import type { Log } from '../telemetry/log.ts';
import { isJsonType } from '../wire/index.ts';
import type { BatchRelays, FactFinder, RequestedBatch } from './batch-relays.ts';
import { limits } from './limits.ts';
import type { OwnBatchRelays } from './own-batch-relays.ts';
import { rejectCall } from './reject-call.ts';
import type { RelayContext, RelayHandler } from './relay.ts';
import { sendResponse } from './respond.ts';

export interface StoredObjectParts {
  readonly callers: CallerAuthenticator;
  readonly objects: StoredObjects;
  readonly credentialNames: CredentialNames;
  readonly relay: RelayHandler;
  readonly batches: BatchRelays;
  readonly ownBatches: OwnBatchRelays;
  readonly log: Log;
  /** Where everybody is one user, who may use all objects of the provider keys. */
  readonly isLocal: boolean;
  /** The address of the gateway, if the operator has set it. */
  readonly baseUrl: string | undefined;
}

/**
 * Serves files and other objects that providers store. Their ids are the providers' own; the gateway remembers for each account
 * which provider and key have an object, and finds none of other accounts.
 */
export class StoredObjectHandler {
  readonly #parts: StoredObjectParts;

  constructor(parts: StoredObjectParts) {
    this.#parts = parts;
  }

  async handle(req: HttpRequest, res: HttpResponse, relayContext: RelayContext): Promise<void> {
    const { callers, relay, isLocal, log } = this.#parts;
    const { context, wire, route } = relayContext;
    try {
      const stored = storedObjectOf(route);
      const { caller, accountId, key } = await callers.identifyCurrent(req.headers, context.clientAddress);
      context.accountId = accountId;
      context.keyId = key?.keyId;
      const scope = scopeOf(caller);
      const provider = req.header('x-weir-provider') ?? route.defaultProvider ?? '';
      if (stored.action === 'list' && (!isLocal || provider === gatewayProvider)) {
        await this.#list(res, caller, relayContext, req);
        return;
      }
      const known = await this.#find(scope, relayContext);
      const object = { scope, stored, known };
      const isPart = Number(req.header(uploadOffsetHeader) ?? 0) !== 0;
      const { hooks, facts } = this.#factFinder(object, { route, provider, isPart, accountId });
      const onResponse = this.#responseHandler(req, object, facts);
      const ofProvider = { origin: known, hooks: { ...hooks, onResponse } };
      const { clientAddress: address } = context;
      const asked = { scope, list: stored.list, route, known, provider, address };
      const own = this.#parts.ownBatches.contextFor(asked, ofProvider.hooks);
      await relay.handle(req, res, { ...relayContext, ...ofProvider, ...own });
    } catch (thrown) {
      rejectCall(thrown, { res, context, wire, log });
    }
  }

  /** The object that the path names. Only a local user may ask for one that was made elsewhere. */
  async #find(scope: string, { context, route }: RelayContext): Promise<KnownObject | undefined> {
    const { list, action } = storedObjectOf(route);
    if (action === 'create' || action === 'list') return undefined;
    const id = list.idOf(wildcardIn(route, context.path));
    const known = await this.#parts.objects.find(scope, list, id);
    if (known === undefined && !this.#parts.isLocal)
      throw new GatewayError('not_found', `there is no ${list.title} "${id.slice(0, 100)}"`);
    return known;
  }

  async #list(
    res: HttpResponse,
    caller: Caller,
    { context, route }: RelayContext,
    req: HttpRequest,
  ): Promise<void> {
    const { list } = storedObjectOf(route);
    const { objects: stored, ownBatches } = this.#parts;
    const page = await stored.list(scopeOf(caller), list, list.readQuery(new URLSearchParams(context.query)));
    const newest = await ownBatches.refresh(caller, list, page.objects);
    const objects = newest.map((object) => ({
      ...object,
      value: { ...object.value, ...this.#ownAddressIn(object.value, list, req) },
    }));
    const bytes = Buffer.from(JSON.stringify(list.encodePage({ ...page, objects })));
    sendResponse(res, { status: 200, headers: ['content-type', 'application/json'], bytes }, context);
  }

  /** Batches need to be known before they are made, and so do the files with their calls. */
  #factFinder(
    { scope, stored: { list, action } }: ObjectCall,
    requested: RequestedBatch & { readonly isPart: boolean },
  ): FactFinder {
    const { batches } = this.#parts;
    if (action !== 'create') return noFacts;
    if (list.batch !== undefined) return batches.creation({ scope, list, format: list.batch }, requested);
    const file = list.batches?.().batch?.file;
    return file === undefined ? noFacts : batches.upload(file, requested.isPart);
  }

  /** Remembers what an answer says of an object before the client can know of it. */
  #responseHandler(
    req: HttpRequest,
    { scope, stored, known }: ObjectCall,
    facts: () => StoredObjectFacts,
  ): ResponseHandler | undefined {
    const { list, action, namesUploadAddress } = stored;
    if (action === 'list') return this.#listHandler({ scope, stored, known });
    if (action === 'content') return this.#resultsHandler(req, { scope, stored, known });
    const { objects, credentialNames, batches } = this.#parts;
    return async (received, exchange, credential) => {
      const response =
        namesUploadAddress === true
          ? { ...received, headers: this.#withOwnUploadAddress(received.headers, req) }
          : received;
      if (action === 'delete') {
        if (known !== undefined) await objects.delete(scope, list, known.id);
        return response;
      }
      const bytes = await readWhole(response, readLimitOf(list, exchange));
      if (bytes === undefined) return response;
      const answer = jsonObjectIn(bytes) ?? {};
      const object = list.objectIn(answer);
      // An object that only a local user knows was made elsewhere.
      if (object !== undefined && (action === 'create' || object.id === known?.id)) {
        const { provider } = exchange.target;
        const keyName = credentialNames.storedOf(credential);
        const found = await objects.put(scope, list, {
          ...{ ...object, provider: provider.name, keyName },
          ...facts(),
        });
        if (action === 'create') await batches.confirm(found);
        if (list.batch !== undefined)
          await batches.noteState({ scope, list, format: list.batch }, found, answer, exchange.trace);
      }
      const address = object && this.#ownAddressIn(object.value, list, req);
      const body = address === undefined ? bytes : patchJson(LazyJsonObject.of(bytes), address);
      return { ...response, body: sourceFromValue(body) };
    };
  }

  /** Bills results in a provider's own list of batches. Undefined for lists without results. */
  #listHandler({ scope, stored: { list } }: ObjectCall): ResponseHandler | undefined {
    const { objects, batches } = this.#parts;
    const { batch: format, objectsIn } = list;
    if (format === undefined || objectsIn === undefined) return undefined;
    return async (response, exchange) => {
      const bytes = await readWhole(response, readLimitOf(list, exchange));
      if (bytes === undefined) return response;
      for (const described of objectsIn(jsonObjectIn(bytes) ?? {})) {
        const object = list.objectIn(described);
        const known = object && (await objects.find(scope, list, object.id));
        if (object === undefined || known === undefined) continue;
        const found = await objects.put(scope, list, { ...known, ...object });
        await batches.noteState({ scope, list, format }, found, described, exchange.trace);
      }
      return { ...response, body: sourceFromValue(bytes) };
    };
  }

  /** Undefined for content that is not the result of a batch. */
  #resultsHandler(
    req: HttpRequest,
    { scope, stored: { list }, known }: ObjectCall,
  ): ResponseHandler | undefined {
    const ofFiles = list.batches?.();
    const [batchList, batchId] = list.batch === undefined ? [ofFiles, known?.resultsOf] : [list, known?.id];
    const format = batchList?.batch;
    if (batchList === undefined || format === undefined || batchId === undefined) return undefined;
    // A part of the results says nothing about the cost of the rest.
    if (req.header('range') !== undefined)
      throw new GatewayError('invalid_request', 'results of a batch are read as a whole, without "range"');
    return async (response, { trace }) => ({
      ...response,
      body: await this.#parts.batches.results(
        { scope, list: batchList, format },
        batchId,
        response.body,
        trace,
      ),
    });
  }

  /** Google sends the bytes of a file to an address that its first answer names: they come here instead. */
  #withOwnUploadAddress(headers: HeaderList, req: HttpRequest): HeaderList {
    return headers.map((text, at) =>
      at % 2 === 1 && headers[at - 1]?.toLowerCase() === uploadAddressHeader
        ? (this.#ownAddress(text, req) ?? text)
        : text,
    );
  }

  /** The address of an object at this gateway, in its field; undefined if it has none. */
  #ownAddressIn(
    value: JsonObject,
    { addressField = '' }: StoredObjectList,
    req: HttpRequest,
  ): JsonObject | undefined {
    const address = value[addressField];
    const own = typeof address === 'string' ? this.#ownAddress(address, req) : undefined;
    return own === undefined ? undefined : { [addressField]: own };
  }

  /** The same path and query at this gateway; undefined for what is no address. */
  #ownAddress(text: string, req: HttpRequest): string | undefined {
    const address = URL.parse(text);
    const base = URL.parse(this.#parts.baseUrl ?? `http://${req.header('host') ?? 'localhost'}`);
    if (address === null || base === null) return undefined;
    return new URL(address.pathname + address.search, base).href;
  }
}

const uploadAddressHeader = 'x-goog-upload-url';
const uploadOffsetHeader = 'x-goog-upload-offset';

/** A call about an object. */
interface ObjectCall {
  readonly scope: string;
  readonly stored: StoredObjectRoute;
  /** Undefined if the call makes it, or if it was made elsewhere. */
  readonly known: KnownObject | undefined;
}

const noFacts: FactFinder = { hooks: {}, facts: () => ({}) };

function storedObjectOf({ storedObject, endpoint }: RelayRoute): StoredObjectRoute {
  if (storedObject === undefined) throw new Error(`the endpoint "${endpoint}" has no stored objects`);
  return storedObject;
}

/** The bytes of a JSON document; undefined for anything else. */
async function readWhole({ headers, body }: ProviderResponse, limit: ReadLimit): Promise<Buffer | undefined> {
  return isJsonType(headerOf(headers, 'content-type') ?? '')
    ? readBytes(body, limit, limit.bytesMax)
    : undefined;
}

/** How much of an answer is read, in which memory. */
interface ReadLimit {
  readonly bytesMax: number;
  reserveMemory(bytes: number): void;
}

/** The description of a batch may have its results in it. */
function readLimitOf({ batch }: StoredObjectList, { clientRequest }: Exchange): ReadLimit {
  return batch?.resultsIn === undefined
    ? { bytesMax: limits.storedObjectBytesMax, reserveMemory: () => undefined }
    : {
        bytesMax: limits.inlinedResultBytesMax,
        reserveMemory: (bytes) => clientRequest.reserveMemory(bytes),
      };
}
