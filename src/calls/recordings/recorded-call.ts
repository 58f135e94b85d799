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
  /** Whether the bodies are what a redacting module passed on, or are left out, since no such module has passed the call on. */
  redaction: z.enum(['none', 'masked', 'withheld']).default('none'),
  /** The last request to a provider; null if none was sent, or it was recorded by an earlier version. */
  sent: z
    .object({
      provider: z.string(),
      model: z.string(),
      wire: z.string(),
      /** Whether the provider got the client's own bytes, which are not stored twice. */
      isClientBody: z.boolean(),
      bytes: z.int(),
      storedBytes: z.int(),
    })
    .nullable()
    .default(null),
});

export interface RecordedMessage extends z.infer<typeof messageSchema> {
  /** As received or sent, up to a limit. */
  readonly body: Uint8Array;
}

type Facts = z.infer<typeof factsSchema>;

export type RecordedSentRequest = NonNullable<Facts['sent']> & { readonly body: Uint8Array };

/** The request and the answer of one call, as they crossed the client's connection, and what a provider got. */
export interface RecordedCall extends Omit<Facts, 'request' | 'response' | 'sent'> {
  readonly request: RecordedMessage;
  readonly response: RecordedMessage;
  readonly sent: RecordedSentRequest | null;
}

/** The length of the facts, the facts as JSON, and the bodies; all compressed. */
export function packRecordedCall({ request, response, sent, ...facts }: RecordedCall): Promise<Uint8Array> {
  const { body: requestBody, ...requestFacts } = request;
  const { body: responseBody, ...responseFacts } = response;
  const { body: sentBody, ...sentFacts } = sent ?? { body: noBytes };
  const json = Buffer.from(
    JSON.stringify({
      ...facts,
      request: requestFacts,
      response: responseFacts,
      sent: sent === null ? null : sentFacts,
    }),
  );
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(json.byteLength);
  return compress(Buffer.concat([length, json, requestBody, responseBody, sentBody]));
}

export async function unpackRecordedCall(packed: Uint8Array): Promise<RecordedCall> {
  const bytes = await decompress(packed);
  const requestAt = lengthBytes + bytes.readUInt32BE();
  const facts = factsSchema.parse(JSON.parse(bytes.toString('utf8', lengthBytes, requestAt)));
  const responseAt = requestAt + facts.request.storedBytes;
  const sentAt = responseAt + facts.response.storedBytes;
  return {
    ...facts,
    request: { ...facts.request, body: bytes.subarray(requestAt, responseAt) },
    response: { ...facts.response, body: bytes.subarray(responseAt, sentAt) },
    sent: facts.sent && { ...facts.sent, body: bytes.subarray(sentAt) },
  };
}

const noBytes = Buffer.alloc(0);

const lengthBytes = 4;
