import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import type {
  RecordedCall,
  RecordedMessage,
  RecordedSentRequest,
} from '../../../calls/recordings/recorded-call.ts';

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
  redaction: z
    .enum(['none', 'masked', 'withheld'])
    .describe(
      '`masked`: the bodies are what a redacting module passed on, with its placeholders, after the edits of other modules. `withheld`: no such module has passed the call on, so that its content is not recorded',
    ),
  request: z.strictObject({ path: z.string(), ...message }),
  provider_request: z
    .strictObject({
      provider: z.string(),
      model: z.string(),
      wire_format: z.string(),
      unchanged: z
        .boolean()
        .describe('Whether the provider got the bytes of `request.body`; then `body` is empty'),
      body: message.body,
      encoding: message.encoding,
      bytes: message.bytes,
      truncated: message.truncated,
    })
    .nullable()
    .describe('The last request to a provider; null if none was sent'),
  response: z.strictObject({
    status: z.int().nullable().describe('Null if the client left before the response began'),
    ...message,
  }),
});

export function describeRecording(
  recordedCall: RecordedCall,
): Omit<z.infer<typeof recordingSchema>, 'id' | 'created_at' | 'expires_at'> {
  const { keyId, model, wire, streamed, pipeline, ending, errorCode, path, status, redaction, sent } =
    recordedCall;
  return {
    key_id: keyId,
    model,
    wire_format: wire,
    streamed,
    pipeline,
    ending,
    error_code: errorCode,
    redaction,
    request: { path, ...describeMessage(recordedCall.request) },
    provider_request: sent && describeSent(sent),
    response: { status, ...describeMessage(recordedCall.response) },
  };
}

function describeSent({ provider, model, wire, isClientBody, ...stored }: RecordedSentRequest) {
  const { truncated, ...body } = describeBody(stored);
  return {
    provider,
    model,
    wire_format: wire,
    unchanged: isClientBody,
    ...body,
    truncated: truncated && !isClientBody,
  };
}

function describeMessage({ headers, ...stored }: RecordedMessage) {
  return { headers: pairsOf(headers), ...describeBody(stored) };
}

function describeBody({ body, bytes, storedBytes }: Pick<RecordedMessage, 'body' | 'bytes' | 'storedBytes'>) {
  const encoding = isUtf8(body) ? 'utf8' : 'base64';
  return {
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
