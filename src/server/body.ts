import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, zstdDecompress } from 'node:zlib';
import { GatewayError } from '../kernel/errors.ts';
import { atTurnEnd } from '../kernel/turn-end.ts';

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const;

function isKnown(encoding: string): encoding is keyof typeof decoders {
  return Object.hasOwn(decoders, encoding);
}

/** A request's whole body, decoded, never more than `bytesMax` of it in memory. */
export function readBody(req: IncomingMessage, bytesMax: number): Promise<Uint8Array> {
  const encoding = req.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  return encoding === 'identity' ? collect(req, bytesMax) : readEncoded(req, encoding, bytesMax);
}

async function readEncoded(req: IncomingMessage, encoding: string, bytesMax: number): Promise<Uint8Array> {
  if (!isKnown(encoding))
    throw new GatewayError(
      'unsupported_encoding',
      `content-encoding "${encoding.slice(0, 40)}" is not supported; gzip, br and zstd are`,
    );
  const bytes = await collect(req, bytesMax);
  try {
    return await decoders[encoding](bytes, { maxOutputLength: bytesMax });
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge(bytesMax);
    throw new GatewayError('invalid_request', `the body is not valid ${encoding}`, { cause });
  }
}

function collect(req: IncomingMessage, bytesMax: number): Promise<Buffer> {
  if (Number(req.headers['content-length']) > bytesMax) return Promise.reject(tooLarge(bytesMax));
  // A client may leave while its credential is looked up, and then there is no further event to wait for.
  if (req.destroyed) return Promise.reject(clientGone());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) {
        req.pause();
        req.removeAllListeners('data');
        chunks.length = 0;
        reject(tooLarge(bytesMax));
      } else chunks.push(chunk);
    });
    const gone = (cause?: Error) => {
      if (!req.complete) reject(clientGone(cause));
    };
    req.on('end', () =>
      atTurnEnd(() =>
        resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
      ),
    );
    req.on('error', gone).on('close', gone);
  });
}

function clientGone(cause?: Error): GatewayError {
  return new GatewayError('client_gone', 'the client closed the connection', { cause });
}

function tooLarge(bytesMax: number): GatewayError {
  return new GatewayError('body_too_large', `the body has more than ${bytesMax} bytes`);
}
