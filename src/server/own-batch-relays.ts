import type { CallFileWriter } from '../calls/own-batches/call-file-writer.ts';
import { type GatewayBatches, gatewayProvider } from '../calls/own-batches/gateway-batches.ts';
import type { KnownObject, StoredObjects } from '../calls/stored-objects/stored-objects.ts';
import type { Caller } from '../kernel/caller.ts';
import { rawHeadersOf } from '../kernel/client-request.ts';
import { GatewayError } from '../kernel/errors.ts';
import { credentialsOf, type Exchange } from '../kernel/exchange.ts';
import type { Handler } from '../kernel/module.ts';
import type { RelayRoute } from '../kernel/relay.ts';
import { relayAnswer } from '../kernel/reply/relay-answer.ts';
import { Reply } from '../kernel/reply/reply.ts';
import { closeIterator } from '../kernel/reply/source.ts';
import type { StoredObjectList, StoredObjectOrigin } from '../kernel/stored-object.ts';
import { type HeaderList, headerOf } from '../lib/headers.ts';
import type { ProviderDirectory } from '../providers/provider-directory.ts';
import type { Upload } from '../providers/relay-upstream.ts';
import { openaiBatches, openaiFiles } from '../wire/openai/stored-object-lists.ts';
import { FormScanner, fieldNameOf, fileNameOf } from './form-scanner.ts';
import type { RelayContext, RelayHooks } from './relay.ts';

interface OwnBatchRelaysParts {
  readonly batches: GatewayBatches;
  readonly objects: Pick<StoredObjects, 'find'>;
  readonly directory: Pick<ProviderDirectory, 'find'>;
  /** The name that a model has without the gateway's in front. */
  modelOf(name: string): string;
}

/** A request about a file or a batch. */
interface FileOrBatchCall {
  readonly scope: string;
  readonly list: StoredObjectList;
  readonly route: RelayRoute;
  /** The object that its path names. */
  readonly known: KnownObject | undefined;
  /** The provider that the request asks for. */
  readonly provider: string;
  /** The client's address. */
  readonly address: string;
}

/** How the gateway handles a request itself. */
type OwnRelay = Pick<RelayContext, 'isOwn' | 'origin' | 'hooks'>;

/** Handles requests about files and batches of the gateway's own, in the place of a provider. */
export class OwnBatchRelays {
  readonly #parts: OwnBatchRelaysParts;

  constructor(parts: OwnBatchRelaysParts) {
    this.#parts = parts;
  }

  /** Undefined for what a provider has, or is to make. `hooks` are for batches that a provider makes. */
  contextFor(call: FileOrBatchCall, hooks: RelayHooks): OwnRelay | undefined {
    const { list, route, known, provider } = call;
    const action = route.storedObject?.action;
    const isAsked = provider === gatewayProvider;
    if (list !== openaiFiles && list !== openaiBatches) {
      if (isAsked)
        throw new GatewayError(
          'not_found',
          `the gateway itself has files and batches in OpenAI's API only: upload a file with purpose "batch" to /v1/files, and name it in a POST to /v1/batches; its calls may have the "url" /v1/messages`,
        );
      return undefined;
    }
    if (action === 'create' && list === openaiBatches) return this.#creation(call, hooks);
    if (action === 'create' && isAsked)
      return {
        ...{ isOwn: true, origin: ownOrigin },
        hooks: { around: (_, openUpload) => (exchange) => this.#upload(exchange, openUpload?.({})) },
      };
    if (known?.provider === gatewayProvider)
      return { isOwn: true, origin: known, hooks: { around: () => this.#handler(call, known) } };
    if (isAsked && action !== 'list')
      throw new GatewayError('not_found', `the gateway has no such ${list.title}`);
    return undefined;
  }

  /** Who runs a batch depends on who has its file. */
  #creation({ scope, provider, address, route }: FileOrBatchCall, hooks: RelayHooks): OwnRelay {
    let isOwn = false;
    return {
      hooks: {
        ...hooks,
        prepare: async (fields, path) => {
          const file = await this.#parts.objects.find(
            scope,
            openaiFiles,
            String(fields.get('input_file_id')),
          );
          isOwn = file?.provider === gatewayProvider || (file === undefined && provider === gatewayProvider);
          const prepared = isOwn ? undefined : await hooks.prepare?.(fields, path);
          return prepared ?? { route, isOwn, origin: isOwn ? ownOrigin : undefined };
        },
        around: (send, openUpload) => {
          const byProvider = hooks.around?.(send, openUpload) ?? send;
          return (exchange) => (isOwn ? this.#make(exchange, address) : byProvider(exchange));
        },
      },
    };
  }

  /** Makes a batch of a file that the gateway has. */
  async #make(exchange: Exchange, address: string): Promise<Reply> {
    const { batches } = this.#parts;
    const { clientRequest } = exchange;
    if (headerOf(rawHeadersOf(clientRequest), 'x-provider-key') !== undefined)
      throw new GatewayError('invalid_request', `${storedKeysText}; leave x-provider-key out`, {
        param: 'x-provider-key',
      });
    const maker = { caller: exchange.caller, headers: keptHeaders(rawHeadersOf(clientRequest)), address };
    const check = (model: string) => this.#checkModel(exchange, model);
    return relayAnswer(await batches.make(maker, clientRequest.fields, check), exchange);
  }

  /** Answers a request about a file or batch that exists. */
  #handler({ list, route }: FileOrBatchCall, known: KnownObject): Handler {
    const { batches } = this.#parts;
    const action = route.storedObject?.action;
    return async (exchange) => {
      const { caller } = exchange;
      if (action === 'content') return contentReply(exchange, batches.content(known));
      if (action === 'delete') {
        await batches.removeFile(caller, known);
        return relayAnswer({ id: known.id, object: 'file', deleted: true }, exchange);
      }
      if (list.batch === undefined) return relayAnswer(known.value, exchange);
      if (route.method === 'POST') return relayAnswer(await batches.cancel(caller, known), exchange);
      const [value = known.value] = await batches.describe(caller, [known]);
      return relayAnswer(value, exchange);
    };
  }

  /** Objects of a list as of now. */
  async refresh(
    caller: Caller,
    { batch }: StoredObjectList,
    objects: readonly KnownObject[],
  ): Promise<readonly KnownObject[]> {
    const own = objects.filter(({ provider }) => provider === gatewayProvider);
    if (batch === undefined || own.length === 0) return objects;
    const values = await this.#parts.batches.describe(caller, own);
    const newest = new Map(own.map(({ id }, at) => [id, values[at]]));
    return objects.map((object) => ({ ...object, value: newest.get(object.id) ?? object.value }));
  }

  async #upload(exchange: Exchange, upload: Upload | undefined): Promise<Reply> {
    const { batches } = this.#parts;
    const { caller, clientRequest } = exchange;
    const writer = await batches.openFile(caller);
    try {
      const form = await readCallForm(clientRequest.header('content-type') ?? '', upload, writer);
      return relayAnswer(await batches.completeFile(caller, writer, form.filename), exchange);
    } catch (error) {
      await batches.discardFile(caller, writer);
      throw error;
    }
  }

  /** Only stored keys outlive the request. Names that only a module knows are left to each call. */
  async #checkModel(exchange: Exchange, name: string): Promise<void> {
    const target = this.#parts.directory.find(this.#parts.modelOf(name));
    if (target === undefined || target.provider.answerLocally !== undefined) return;
    try {
      await credentialsOf(exchange).find(target, 'stored');
    } catch (error) {
      if (!GatewayError.is(error) || error.code !== 'provider_key_missing') throw error;
      const { name: provider, title } = target.provider;
      throw new GatewayError(
        'provider_key_missing',
        `${storedKeysText}; there is no ${title} key for "${name}": store one with PUT /v1/byok/${provider}`,
      );
    }
  }
}

const ownOrigin: StoredObjectOrigin = { provider: gatewayProvider, keyName: '' };

const storedKeysText =
  'a batch that the gateway runs goes on after its request, and uses keys that are stored with the account or the gateway';

/** Stores the calls in the part `file` of a form. */
async function readCallForm(
  contentType: string,
  upload: Upload | undefined,
  writer: CallFileWriter,
): Promise<{ readonly filename: string }> {
  let isFile = false;
  let filename = 'calls.jsonl';
  const pieces: Uint8Array[] = [];
  const scanner = new FormScanner(contentType, {
    onPart(head) {
      isFile = fieldNameOf(head) === 'file';
      if (isFile) filename = fileNameOf(head) ?? filename;
    },
    onContent(bytes) {
      if (isFile) pieces.push(bytes);
    },
  });
  for await (const chunk of upload?.chunks ?? []) {
    scanner.push(Buffer.from(chunk));
    for (const piece of pieces.splice(0)) await writer.push(piece);
  }
  if (!scanner.isComplete) throw new GatewayError('invalid_request', 'the form has no end');
  if (scanner.fields.find(({ name }) => name === 'purpose')?.value !== 'batch')
    throw new GatewayError(
      'invalid_request',
      'the gateway itself keeps files with the purpose "batch" only; name a provider in x-weir-provider for others',
      { param: 'purpose' },
    );
  return { filename };
}

function contentReply({ clientRequest }: Exchange, lines: AsyncIterable<Uint8Array>): Reply {
  const iterator = lines[Symbol.asyncIterator]();
  return Reply.relay({
    wire: clientRequest.wire,
    framing: 'json',
    status: 200,
    headers: ['content-type', 'application/octet-stream'],
    body: {
      next: async () => (await iterator.next()).value,
      cancel: () => closeIterator(iterator),
    },
  });
}

/** What each call of a batch has from the request that makes it. No credentials: these are not stored. */
function keptHeaders(headers: HeaderList): HeaderList {
  const kept: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = (headers[at] ?? '').toLowerCase();
    if (keptHeader.test(name)) kept.push(name, headers[at + 1] ?? '');
  }
  return kept;
}

const keptHeader =
  /^(?:x-weir-(?!key$|provider$|passphrase$|session$|trace$)[a-z-]+|user-agent|anthropic-version|anthropic-beta|openai-beta)$/;
