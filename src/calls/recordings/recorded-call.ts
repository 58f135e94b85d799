import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { z } from 'zod';

const compress = promisify(deflateRaw);
const decompress = promisify(inflateRaw);

const messageSchema = z.object({
  /** Names and values in turn, without credentials. */
  headers: z.array(z.string()),
  /** The whole length; more than what is stored if the body was truncated. */
  bytes: z.int(),
  storedBytes: z.int(),
});

/** Everything of a recorded call but the bodies. */
const factsSchema = z.object({
  keyId: z.string().nullable(),
  model: z.string(),
  wire: z.string(),
  streamed: z.boolean(),
  pipeline: z.string(),
  /** The status sent to the client; null if it left before. */
  status: z.int().nullable(),
  ending: z.enum(['complete', 'aborted', 'failed']),
  errorCode: z.string().nullable(),
  /** With its query. */
  path: z.string(),
  request: messageSchema,
  response: messageSchema,
});

export interface RecordedMessage extends z.infer<typeof messageSchema> {
  /** As received or sent, up to a limit. */
  readonly body: Uint8Array;
}

/** The request and the answer of one call, as they crossed the client's connection. */
export interface RecordedCall extends Omit<z.infer<typeof factsSchema>, 'request' | 'response'> {
  readonly request: RecordedMessage;
  readonly response: RecordedMessage;
}

/** The length of the facts, the facts as JSON, and the two bodies; all compressed. */
export function packRecordedCall({ request, response, ...facts }: RecordedCall): Promise<Uint8Array> {
  const { body: sent, ...requestFacts } = request;
  const { body: received, ...responseFacts } = response;
  const json = Buffer.from(JSON.stringify({ ...facts, request: requestFacts, response: responseFacts }));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(json.byteLength);
  return compress(Buffer.concat([length, json, sent, received]));
}

export async function unpackRecordedCall(packed: Uint8Array): Promise<RecordedCall> {
  const bytes = await decompress(packed);
  const requestAt = lengthBytes + bytes.readUInt32BE();
  const facts = factsSchema.parse(JSON.parse(bytes.toString('utf8', lengthBytes, requestAt)));
  const responseAt = requestAt + facts.request.storedBytes;
  return {
    ...facts,
    request: { ...facts.request, body: bytes.subarray(requestAt, responseAt) },
    response: { ...facts.response, body: bytes.subarray(responseAt) },
  };
}

const lengthBytes = 4;
