import { randomBytes } from 'node:crypto';
import { type Caller, scopeOf } from '../../kernel/caller.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { FieldReader } from '../../kernel/json/lazy-json-object.ts';
import { budgetHolderOf } from '../../kernel/ports/budget.ts';
import type { CallFiles, OwnBatch, OwnBatches, OwnBatchLines } from '../../kernel/ports/own-batches.ts';
import type { Clock } from '../../lib/clock.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import {
  answerFileOf,
  encodeCallFile,
  encodeLostBatch,
  encodeOwnBatch,
  encodeResultFile,
  errorFileOf,
  hasAnswers,
} from '../../wire/openai/own-batches.ts';
import { openaiBatches, openaiFiles } from '../../wire/openai/stored-object-lists.ts';
import { limits } from '../limits.ts';
import type { KnownObject, StoredObjects } from '../stored-objects/stored-objects.ts';
import { CallFileWriter } from './call-file-writer.ts';
import { openLine, type Sealing } from './line-sealing.ts';
import { type OwnBatchMaker, sealMaker } from './own-batch-maker.ts';

export interface GatewayBatchesParts {
  readonly files: CallFiles;
  readonly batches: OwnBatches;
  readonly lines: OwnBatchLines;
  readonly objects: StoredObjects;
  readonly sealing: Sealing;
  readonly clock: Clock;
  /** Whether calls to a path can be in a batch. */
  hasPath(path: string): boolean;
  /** The most bytes of a file, and of all files and results of an account. */
  readonly fileBytesMax: number;
  readonly accountBytesMax: number;
  /** How long files and results are kept. */
  readonly keptMs: number;
  /** Called when there is a batch to be run. */
  onMade(): void;
}

/** The name of the gateway among providers. */
export const gatewayProvider = 'weir';

/** Files and batches that the gateway itself keeps and runs, for clients of OpenAI's API. */
export class GatewayBatches {
  readonly #parts: GatewayBatchesParts;

  constructor(parts: GatewayBatchesParts) {
    this.#parts = parts;
  }

  /** Begins a file that is uploaded. */
  async openFile(caller: Caller): Promise<CallFileWriter> {
    const { clock, fileBytesMax, accountBytesMax } = this.#parts;
    const { accountId } = budgetHolderOf(caller);
    const bytesMax = Math.max(0, Math.min(fileBytesMax, accountBytesMax - (await this.#bytesOf(accountId))));
    const file = { id: `file-${newName()}`, accountId, madeAtMs: clock.now() };
    const writer = new CallFileWriter(file, { ...this.#parts, bytesMax });
    await writer.begin();
    return writer;
  }

  /** The file as its client sees it. */
  async completeFile(caller: Caller, writer: CallFileWriter, filename: string): Promise<JsonObject> {
    const { clock, keptMs, accountBytesMax } = this.#parts;
    const file = await writer.end(clock.now() + keptMs);
    // Other files may have been uploaded at the same time.
    if ((await this.#bytesOf(file.accountId)) > accountBytesMax)
      throw new GatewayError(
        'body_too_large',
        `an account has at most ${accountBytesMax} bytes of files and results here: delete some`,
      );
    const value = encodeCallFile(file, { filename, bytes: writer.uploadedBytes });
    await this.#put(caller, openaiFiles, { id: file.id, value, purpose: 'batch' });
    return value;
  }

  /** The upload has failed. */
  async discardFile(caller: Caller, writer: CallFileWriter): Promise<void> {
    await this.#parts.files.remove(budgetHolderOf(caller).accountId, writer.id);
  }

  /** Deletes a file; of results, its lines. */
  async removeFile(caller: Caller, { id, resultsOf }: Pick<KnownObject, 'id' | 'resultsOf'>): Promise<void> {
    const { files, lines, objects } = this.#parts;
    const { accountId } = budgetHolderOf(caller);
    if (resultsOf !== undefined) await lines.remove(resultsOf, hasAnswers(id));
    else if (!(await files.remove(accountId, id)))
      throw new GatewayError('invalid_request', 'a batch needs this file; cancel the batch first');
    await objects.delete(scopeOf(caller), openaiFiles, id);
  }

  /** `checkModel` throws if the caller has no key for a model. */
  async make(
    maker: OwnBatchMaker,
    request: FieldReader,
    checkModel: (model: string) => Promise<void>,
  ): Promise<JsonObject> {
    const { files, batches, clock, sealing, onMade } = this.#parts;
    const { caller } = maker;
    const { accountId } = budgetHolderOf(caller);
    const fileId = String(request.get('input_file_id'));
    const file = await files.find(accountId, fileId);
    if (file === undefined || file.calls === 0)
      throw new GatewayError('not_found', `there is no file "${fileId.slice(0, 100)}"`);
    const endpoint = request.get('endpoint');
    if (endpoint !== file.callPath)
      throw new GatewayError('invalid_request', `"endpoint" must be ${file.callPath}, as in the file`, {
        param: 'endpoint',
      });
    const completionWindow = request.get('completion_window');
    const metadata = readMetadata(request.get('metadata'));
    const madeAtMs = clock.now();
    const expiresAtMs = madeAtMs + readWindow(completionWindow);
    for (const model of file.models) await checkModel(model);
    const id = `batch_${newName()}`;
    const batch: OwnBatch = {
      ...{ id, accountId, fileId, state: 'in_progress', ...sealMaker(sealing, id, maker) },
      ...{ calls: file.calls, completed: 0, failed: 0, costNanoUsd: 0, madeAtMs, expiresAtMs },
      endedAtMs: null,
    };
    const facts = { endpoint: file.callPath, completionWindow: String(completionWindow), metadata };
    const value = encodeOwnBatch(batch, facts);
    // Before the batch begins: nobody would know of one whose process is killed here.
    await this.#put(caller, openaiBatches, { id, value });
    await batches.add(batch);
    onMade();
    return value;
  }

  /** Batches as of now. */
  async describe(caller: Caller, known: readonly KnownObject[]): Promise<readonly JsonObject[]> {
    const { accountId } = budgetHolderOf(caller);
    const found = await this.#parts.batches.find(
      accountId,
      known.map(({ id }) => id),
    );
    return known.map(({ id, value }) => {
      const batch = found.find((one) => one.id === id);
      if (batch === undefined) return value.status === 'in_progress' ? encodeLostBatch(value) : value;
      return encodeOwnBatch(batch, factsIn(value));
    });
  }

  async cancel(caller: Caller, known: KnownObject): Promise<JsonObject> {
    const { batches, onMade } = this.#parts;
    await batches.cancel(budgetHolderOf(caller).accountId, known.id);
    onMade();
    const [value = known.value] = await this.describe(caller, [known]);
    return value;
  }

  /** The lines of a file of calls, or of results, with line breaks. */
  async *content({ id, resultsOf }: Pick<KnownObject, 'id' | 'resultsOf'>): AsyncIterable<Uint8Array> {
    const { files, lines, sealing } = this.#parts;
    for (let after = -1; ; ) {
      const page = await (resultsOf === undefined
        ? files.lines(id, after + 1, limits.linesReadAtOnce)
        : lines.results(resultsOf, hasAnswers(id), { after, most: limits.linesReadAtOnce }));
      for (const line of page) {
        yield Buffer.concat([openLine(sealing, resultsOf ?? id, line), lineBreak]);
        after = line.number;
      }
      if (page.length < limits.linesReadAtOnce) return;
    }
  }

  /** Makes the results of a batch known to its account. */
  async publish(batch: OwnBatch, { caller }: OwnBatchMaker): Promise<void> {
    const { objects, clock, keptMs } = this.#parts;
    const madeAtMs = clock.now();
    const known = await objects.find(scopeOf(caller), openaiBatches, batch.id);
    // Its account was erased, or the gateway has forgotten it.
    if (known === undefined) return;
    for (const [id, count] of [
      [answerFileOf(batch.id), batch.completed],
      [errorFileOf(batch.id), batch.failed],
    ] as const) {
      if (count === 0) continue;
      const value = encodeResultFile(id, { madeAtMs, expiresAtMs: madeAtMs + keptMs });
      await this.#put(caller, openaiFiles, { id, value, purpose: 'batch_output', resultsOf: batch.id });
    }
    const value = encodeOwnBatch({ ...batch, endedAtMs: madeAtMs }, factsIn(known.value));
    await this.#put(caller, openaiBatches, { id: batch.id, value });
  }

  async #bytesOf(accountId: string): Promise<number> {
    const { files, batches } = this.#parts;
    return (await files.bytesOf(accountId)) + (await batches.bytesOf(accountId));
  }

  #put(
    caller: Caller,
    list: typeof openaiFiles,
    object: Pick<KnownObject, 'id' | 'value' | 'purpose' | 'resultsOf'>,
  ): Promise<KnownObject> {
    const origin = { provider: gatewayProvider, keyName: '' };
    return this.#parts.objects.put(scopeOf(caller), list, { ...object, ...origin });
  }
}

const lineBreak = Buffer.from('\n');

/** Unguessable, and told from providers' names at a glance. */
function newName(): string {
  return `weir${randomBytes(16).toString('hex')}`;
}

function factsIn({ endpoint, completion_window: window, metadata }: JsonObject) {
  return { endpoint: String(endpoint), completionWindow: String(window), metadata };
}

/** Milliseconds of `24h`, `90m` or `7d`. */
function readWindow(window: unknown): number {
  const [, count = '', unit = ''] = /^(\d{1,5})(m|h|d)$/.exec(typeof window === 'string' ? window : '') ?? [];
  const ms = Number(count) * (unitMs[unit] ?? Number.NaN);
  if (ms >= limits.ownBatchWindowMsMin && ms <= limits.ownBatchWindowMsMax) return ms;
  throw new GatewayError('invalid_request', '"completion_window" must be a time from 1m to 7d, such as 24h', {
    param: 'completion_window',
  });
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function readMetadata(metadata: unknown): JsonObject | null {
  if (metadata === undefined || metadata === null) return null;
  const entries = isJsonObject(metadata) ? Object.entries(metadata) : undefined;
  const isShort = (text: unknown) =>
    typeof text === 'string' && text.length <= limits.batchMetadataCharactersMax;
  if (
    isJsonObject(metadata) &&
    entries !== undefined &&
    entries.length <= limits.batchMetadataMax &&
    entries.flat().every(isShort)
  )
    return metadata;
  throw new GatewayError(
    'invalid_request',
    `"metadata" has at most ${limits.batchMetadataMax} texts of up to ${limits.batchMetadataCharactersMax} characters`,
    { param: 'metadata' },
  );
}
