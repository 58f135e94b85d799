import type { CallFile, OwnBatch } from '../../kernel/ports/own-batches.ts';
import type { JsonObject } from '../../lib/json.ts';

/** What a client calls its batch, beside the state of it. */
export interface OwnBatchFacts {
  readonly endpoint: string;
  readonly completionWindow: string;
  readonly metadata: unknown;
}

/** The files of results have names made of the batch's. */
export function answerFileOf(batchId: string): string {
  return `file-${bareName(batchId)}-answers`;
}

export function errorFileOf(batchId: string): string {
  return `file-${bareName(batchId)}-errors`;
}

/** Whether a file has the answers of its batch, or its errors. */
export function hasAnswers(fileId: string): boolean {
  return fileId.endsWith('-answers');
}

function bareName(batchId: string): string {
  return batchId.replace(/^batch_/, '');
}

/** A batch of the gateway in OpenAI's form. */
export function encodeOwnBatch(batch: OwnBatch, facts: OwnBatchFacts): JsonObject {
  const { id, state, calls, completed, failed, endedAtMs } = batch;
  const madeAt = seconds(batch.madeAtMs);
  const endedAt = endedAtMs === null ? null : seconds(endedAtMs);
  const isEnded = endedAt !== null;
  return {
    id,
    object: 'batch',
    endpoint: facts.endpoint,
    errors: null,
    input_file_id: batch.fileId,
    completion_window: facts.completionWindow,
    status: state,
    output_file_id: isEnded && completed > 0 ? answerFileOf(id) : null,
    error_file_id: isEnded && failed > 0 ? errorFileOf(id) : null,
    created_at: madeAt,
    in_progress_at: madeAt,
    expires_at: seconds(batch.expiresAtMs),
    finalizing_at: endedAt,
    completed_at: state === 'completed' ? endedAt : null,
    failed_at: null,
    expired_at: state === 'expired' ? endedAt : null,
    cancelling_at: null,
    cancelled_at: state === 'cancelled' ? endedAt : null,
    request_counts: { total: calls, completed, failed },
    metadata: facts.metadata ?? null,
  };
}

/** A batch that was never begun, since the gateway stopped while it was made. */
export function encodeLostBatch(value: JsonObject): JsonObject {
  const message = 'The gateway stopped while the batch was made. Make it again.';
  const errors = { object: 'list', data: [{ code: 'not_started', message, param: null, line: null }] };
  return { ...value, status: 'failed', errors, failed_at: value.created_at };
}

export function encodeCallFile(
  file: CallFile,
  { filename, bytes }: { filename: string; bytes: number },
): JsonObject {
  return {
    id: file.id,
    object: 'file',
    bytes,
    created_at: seconds(file.madeAtMs),
    expires_at: seconds(file.expiresAtMs),
    filename,
    purpose: 'batch',
    status: 'processed',
  };
}

export function encodeResultFile(
  id: string,
  { madeAtMs, expiresAtMs }: { readonly madeAtMs: number; readonly expiresAtMs: number },
): JsonObject {
  return {
    id,
    object: 'file',
    // It is put together when it is read.
    bytes: 0,
    created_at: seconds(madeAtMs),
    expires_at: seconds(expiresAtMs),
    filename: `${id}.jsonl`,
    purpose: 'batch_output',
    status: 'processed',
  };
}

/** A line of a batch with its number. */
interface LineName {
  readonly batchId: string;
  readonly number: number;
  readonly customId: string;
}

interface LineResponse extends LineName {
  readonly requestId: string;
  readonly status: number;
  readonly body: Buffer;
}

/** The result of a call with a response. */
export function resultLine({ requestId, status, body, ...name }: LineResponse): Buffer {
  const head = JSON.stringify({ id: idOf(name), custom_id: name.customId }).slice(0, -1);
  const response = `,"response":{"status_code":${status},"request_id":${JSON.stringify(requestId)},"body":`;
  return Buffer.concat([Buffer.from(head + response), onOneLine(body), Buffer.from('},"error":null}')]);
}

/** The result of a call without one. */
export function failedLine({
  code,
  message,
  ...name
}: LineName & { readonly code: string; readonly message: string }): Buffer {
  const line = { id: idOf(name), custom_id: name.customId, response: null, error: { code, message } };
  return Buffer.from(JSON.stringify(line));
}

function idOf({ batchId, number }: LineName): string {
  return `batch_req_${bareName(batchId)}_${number}`;
}

/** JSON as it came, without line breaks; anything else as a text. */
function onOneLine(body: Buffer): Buffer {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return body.includes('\n') || body.includes('\r') ? Buffer.from(JSON.stringify(value)) : body;
  } catch {
    return Buffer.from(JSON.stringify(body.toString('utf8')));
  }
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
