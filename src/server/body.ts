import { promisify } from 'node:util';
import { brotliDecompress, gunzip, zstdDecompress } from 'node:zlib';
import type { HttpRequest } from '../http/request.ts';
import { GatewayError } from '../kernel/errors.ts';
import { queueImmediate } from '../lib/queue-immediate.ts';
import { BodyBuffer } from './body-buffer.ts';
import type { MemoryReservation } from './body-memory-budget.ts';
import { IncomingBody, type SlowBodyMonitor } from './slow-body-monitor.ts';

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const;

function isSupportedEncoding(encoding: string): encoding is keyof typeof decoders {
  return Object.hasOwn(decoders, encoding);
}

interface BodyReadOptions {
  readonly bytesMax: number;
  /** Reserves memory as the body arrives; throws if there is none left. */
  readonly reservation?: Pick<MemoryReservation, 'add'>;
  /** Ends bodies that arrive too slowly. */
  readonly slowBodies?: SlowBodyMonitor;
}

/** Reads and decodes the whole body, with at most `bytesMax` in memory. */
export function readBody(req: HttpRequest, bodyReadOptions: BodyReadOptions): Promise<Uint8Array> {
  const encoding = encodingOf(req);
  if (encoding === 'identity') return collectBody(req, bodyReadOptions);
  return readEncoded(req, encoding, bodyReadOptions).then(({ decoded }) => decoded);
}

/** A body as received, and decoded. */
export interface BodyWithRaw {
  readonly raw: Uint8Array;
  readonly decoded: Uint8Array;
}

export async function readBodyWithRaw(
  req: HttpRequest,
  bodyReadOptions: BodyReadOptions,
): Promise<BodyWithRaw> {
  const encoding = encodingOf(req);
  if (encoding !== 'identity') return readEncoded(req, encoding, bodyReadOptions);
  const raw = await collectBody(req, bodyReadOptions);
  return { raw, decoded: raw };
}

export function encodingOf(req: HttpRequest): string {
  return req.header('content-encoding')?.toLowerCase() ?? 'identity';
}

async function readEncoded(
  req: HttpRequest,
  encoding: string,
  bodyReadOptions: BodyReadOptions,
): Promise<BodyWithRaw> {
  if (!isSupportedEncoding(encoding))
    throw new GatewayError(
      'unsupported_encoding',
      `unsupported content-encoding "${encoding.slice(0, 40)}"; use gzip, br or zstd`,
    );
  const { bytesMax, reservation } = bodyReadOptions;
  const raw = await collectBody(req, bodyReadOptions);
  const decoded = await decodeBody(encoding, raw, bytesMax);
  reservation?.add(Math.max(0, decoded.byteLength - raw.byteLength));
  return { raw, decoded };
}

async function decodeBody(
  encoding: keyof typeof decoders,
  bytes: Uint8Array,
  bytesMax: number,
): Promise<Uint8Array> {
  try {
    return await decoders[encoding](bytes, { maxOutputLength: bytesMax });
  } catch (cause) {
    if (cause instanceof RangeError) throw bodyTooLargeError(bytesMax);
    throw new GatewayError('invalid_request', `the body is not valid ${encoding}`, { cause });
  }
}

function collectBody({ body }: HttpRequest, bodyReadOptions: BodyReadOptions): Promise<Buffer> {
  const { bytesMax, reservation, slowBodies: slowBodyMonitor } = bodyReadOptions;
  if (body.contentLength > bytesMax) return Promise.reject(bodyTooLargeError(bytesMax));
  // Most bodies have arrived already, so they cannot be slow.
  if (body.isComplete) return acceptCompleteBody(body.take(), bodyReadOptions);
  return new Promise((resolve, reject) => {
    const bodyBuffer = new BodyBuffer(body.contentLength);
    const incoming = new IncomingBody(() => refuse(bodyTooSlowError()));
    const refuse = (refusal: unknown) => {
      slowBodyMonitor?.delete(incoming);
      body.stop();
      bodyBuffer.discard();
      reject(refusal);
    };
    slowBodyMonitor?.add(incoming);
    body.read({
      onChunk(chunk) {
        incoming.bytes += chunk.byteLength;
        if (incoming.bytes > bytesMax) return refuse(bodyTooLargeError(bytesMax));
        try {
          reservation?.add(chunk.byteLength);
          bodyBuffer.add(chunk);
        } catch (refusal) {
          refuse(refusal);
        }
      },
      onEnd() {
        slowBodyMonitor?.delete(incoming);
        queueImmediate(() => resolve(bodyBuffer.toBuffer()));
      },
      onAbort() {
        slowBodyMonitor?.delete(incoming);
        bodyBuffer.discard();
        reject(clientClosedError());
      },
    });
  });
}

function acceptCompleteBody(whole: Buffer, { bytesMax, reservation }: BodyReadOptions): Promise<Buffer> {
  if (whole.byteLength > bytesMax) return Promise.reject(bodyTooLargeError(bytesMax));
  try {
    reservation?.add(whole.byteLength);
  } catch (refusal) {
    return Promise.reject(refusal);
  }
  return new Promise((resolve) => queueImmediate(() => resolve(whole)));
}

export function bodyTooSlowError(): GatewayError {
  return new GatewayError('body_too_slow', 'the request body arrived too slowly', {
    headers: ['connection', 'close'],
  });
}

export function clientClosedError(): GatewayError {
  return new GatewayError('client_gone', 'the client closed the connection');
}

export function bodyTooLargeError(bytesMax: number): GatewayError {
  return new GatewayError('body_too_large', `the request body exceeds ${bytesMax} bytes`);
}
