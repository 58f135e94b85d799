import { createHash, createHmac } from 'node:crypto';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { EventStreamCodec } from '@smithy/core/event-streams';
import { SignatureV4 } from '@smithy/signature-v4';
import { SseParser } from '../../src/wire/sse.ts';
import { startListener } from './server.ts';

export const awsKey = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'eu-central-1',
} as const;
export const bedrockApiKey = 'ABSKQmVkcm9ja0FQSUtleS1leGFtcGxlOg==';

/**
 * Stands before a scripted provider as Amazon would: lets only calls through that Amazon's own signer would have signed so,
 * and packs server-sent events as Amazon's streams are packed, by Amazon's own code.
 */
export async function startBedrockServer(behind: string): Promise<{ readonly url: string; close(): void }> {
  return startListener((req, res) => void serve(req, res, behind));
}

async function serve(req: IncomingMessage, res: ServerResponse, behind: string): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (!(await isSigned(req, body))) {
    res.writeHead(403, {
      'content-type': 'application/json',
      'x-amzn-errortype': 'InvalidSignatureException',
    });
    res.end(JSON.stringify({ message: 'The request signature we calculated does not match' }));
    return;
  }
  const { method = '', url = '', headers } = req;
  const { hostname, port } = new URL(behind);
  const onward = request({ hostname, port, path: url, method, headers, agent: false }, (answer) =>
    relay(answer, res, url.endsWith('/invoke-with-response-stream')),
  );
  onward.on('error', () => res.destroy());
  res.on('close', () => onward.destroy());
  onward.end(body);
}

function relay(answer: IncomingMessage, res: ServerResponse, isInvoked: boolean): void {
  const { statusCode = 0, headers } = answer;
  const isStream = headers['content-type']?.startsWith('text/event-stream') === true;
  const { 'transfer-encoding': _, 'content-length': __, ...kept } = headers;
  res.writeHead(
    statusCode,
    isStream ? { ...kept, 'content-type': 'application/vnd.amazon.eventstream' } : kept,
  );
  res.flushHeaders();
  const sse = new SseParser();
  answer.on('data', (chunk: Buffer) => {
    if (isStream)
      for (const { event, data } of sse.push(chunk)) res.write(encodeEventFrame(event, data, isInvoked));
    else res.write(chunk);
  });
  answer.on('end', () => res.end());
  answer.on('error', () => res.write('', () => res.destroy()));
}

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8')),
  (text) => Buffer.from(text, 'utf8'),
);

const text = (value: string) => ({ type: 'string' as const, value });

/** One message of a stream: an event of Converse under its own name, or a model's own event in a `chunk`. */
export function encodeEventFrame(name: string, data: string, isInvoked: boolean): Uint8Array {
  const isException = name.endsWith('Exception');
  const kind = isException ? 'exception' : 'event';
  const told = isInvoked && !isException ? 'chunk' : name;
  const inner = JSON.stringify({ bytes: Buffer.from(data).toString('base64'), p: 'abcdefgh' });
  return codec.encode({
    headers: {
      [`:${kind}-type`]: text(told),
      ':content-type': text('application/json'),
      ':message-type': text(kind),
    },
    body: Buffer.from(isInvoked && !isException ? inner : data),
  });
}

/** By signing it once more: with the same key, at the same time, and the same headers. */
async function isSigned(req: IncomingMessage, body: Buffer): Promise<boolean> {
  const { authorization = '', 'x-amz-date': date } = req.headers;
  if (authorization.startsWith('Bearer ')) return authorization === `Bearer ${bedrockApiKey}`;
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? [];
  if (typeof date !== 'string' || !names.includes('host')) return false;
  const { pathname, searchParams, port } = new URL(req.url ?? '', `http://${req.headers.host}`);
  const { region, ...credentials } = awsKey;
  const session = req.headers['x-amz-security-token'];
  const signer = new SignatureV4({
    credentials: typeof session === 'string' ? { ...credentials, sessionToken: session } : credentials,
    region,
    service: 'bedrock',
    sha256: Sha256,
  });
  const signed = await signer.sign(
    {
      method: req.method ?? '',
      protocol: 'http:',
      hostname: '127.0.0.1',
      port: Number(port),
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: Object.fromEntries(names.map((name) => [name, String(req.headers[name])])),
      body,
    },
    { signingDate: new Date(date.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z')) },
  );
  return signed.headers.authorization === authorization;
}

class Sha256 {
  readonly #hash;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {}
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  return data instanceof ArrayBuffer
    ? new Uint8Array(data)
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
