import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import type { RecordedCall, RecordedMessage } from '../../../calls/recordings/recorded-call.ts';

const message = {
  headers: z.array(z.tuple([z.string(), z.string()])).describe('Names and values, without credentials'),
  body: z.string().describe('In the given encoding'),
  encoding: z.enum(['utf8', 'base64']).describe('`base64` for a body that is not text'),
  bytes: z.int().describe('The length of the whole body'),
  truncated: z.boolean().describe('Whether `body` is only the beginning'),
};

/** A recorded call, as the API returns it. */
export const recordingSchema = z.strictObject({
  id: z.string().describe('The `x-request-id` header of the response'),
  created_at: z.iso.datetime().describe('When the call arrived'),
  expires_at: z.iso.datetime().describe('When the recording is deleted'),
  key_id: z.string().nullable(),
  model: z.string().describe('The requested model'),
  wire_format: z.string(),
  streamed: z.boolean(),
  pipeline: z.string(),
  ending: z.enum(['complete', 'aborted', 'failed']),
  error_code: z.string().nullable(),
  request: z.strictObject({ path: z.string(), ...message }),
  response: z.strictObject({
    status: z.int().nullable().describe('Null if the client left before the response began'),
    ...message,
  }),
});

export function describeRecording(
  recordedCall: RecordedCall,
): Omit<z.infer<typeof recordingSchema>, 'id' | 'created_at' | 'expires_at'> {
  const { keyId, model, wire, streamed, pipeline, ending, errorCode, path, status } = recordedCall;
  return {
    key_id: keyId,
    model,
    wire_format: wire,
    streamed,
    pipeline,
    ending,
    error_code: errorCode,
    request: { path, ...describeMessage(recordedCall.request) },
    response: { status, ...describeMessage(recordedCall.response) },
  };
}

function describeMessage({ headers, body, bytes, storedBytes }: RecordedMessage) {
  const encoding = isUtf8(body) ? 'utf8' : 'base64';
  return {
    headers: pairsOf(headers),
    body: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString(encoding),
    encoding,
    bytes,
    truncated: storedBytes < bytes,
  } as const;
}

function pairsOf(headers: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) pairs.push([headers[at] ?? '', headers[at + 1] ?? '']);
  return pairs;
}
