import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, zstdDecompress } from 'node:zlib';
import { GatewayError } from '../kernel/errors.ts';
import { atTurnEnd } from '../kernel/turn-end.ts';
import type { Load } from './ballast.ts';
import { Pieces } from './pieces.ts';
import { IncomingBody, type SlowBodies } from './slow-bodies.ts';

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const;

function isKnown(encoding: string): encoding is keyof typeof decoders {
  return Object.hasOwn(decoders, encoding);
}

/** How a body is let in. */
interface Intake {
  readonly bytesMax: number;
  /** Told of what it weighs while it comes in; refuses what there is no room for. */
  readonly load?: Pick<Load, 'add'>;
  /** Cuts off who takes too long. */
  readonly slowBodies?: SlowBodies;
}

/** A request's whole body, decoded, never more than `bytesMax` of it in memory. */
export function readBody(req: IncomingMessage, intake: Intake): Promise<Uint8Array> {
  const encoding = encodingOf(req);
  if (encoding === 'identity') return collect(req, intake);
  return readEncoded(req, encoding, intake).then(({ decoded }) => decoded);
}

/** A body as it came, and decoded. */
export interface Content {
  readonly raw: Uint8Array;
  readonly decoded: Uint8Array;
}

export async function readContent(req: IncomingMessage, intake: Intake): Promise<Content> {
  const encoding = encodingOf(req);
  if (encoding !== 'identity') return readEncoded(req, encoding, intake);
  const raw = await collect(req, intake);
  return { raw, decoded: raw };
}

function encodingOf(req: IncomingMessage): string {
  return req.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
}

async function readEncoded(req: IncomingMessage, encoding: string, intake: Intake): Promise<Content> {
  if (!isKnown(encoding))
    throw new GatewayError(
      'unsupported_encoding',
      `content-encoding "${encoding.slice(0, 40)}" is not supported; gzip, br and zstd are`,
    );
  const { bytesMax, load } = intake;
  const raw = await collect(req, intake);
  const decoded = await decodedBy(encoding, raw, bytesMax);
  load?.add(Math.max(0, decoded.byteLength - raw.byteLength));
  return { raw, decoded };
}

async function decodedBy(
  encoding: keyof typeof decoders,
  bytes: Uint8Array,
  bytesMax: number,
): Promise<Uint8Array> {
  try {
    return await decoders[encoding](bytes, { maxOutputLength: bytesMax });
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge(bytesMax);
    throw new GatewayError('invalid_request', `the body is not valid ${encoding}`, { cause });
  }
}

function collect(req: IncomingMessage, { bytesMax, load, slowBodies }: Intake): Promise<Buffer> {
  const announced = Number(req.headers['content-length']);
  if (announced > bytesMax) return Promise.reject(tooLarge(bytesMax));
  // A client may leave while its credential is looked up, and then there is no further event to wait for.
  if (req.destroyed) return Promise.reject(clientGone());
  return new Promise((resolve, reject) => {
    const pieces = new Pieces(announced);
    // Most bodies are there already, and can't be slow.
    const watch = req.complete ? undefined : slowBodies;
    const incoming = new IncomingBody(() => refuse(tooSlow()));
    const refuse = (refusal: unknown) => {
      watch?.delete(incoming);
      req.pause();
      req.removeAllListeners('data');
      pieces.drop();
      reject(refusal);
    };
    req.on('data', (chunk: Buffer) => {
      incoming.bytes += chunk.byteLength;
      if (incoming.bytes > bytesMax) return refuse(tooLarge(bytesMax));
      try {
        load?.add(chunk.byteLength);
        pieces.add(chunk);
      } catch (refusal) {
        refuse(refusal);
      }
    });
    const gone = () => {
      watch?.delete(incoming);
      if (!req.complete) reject(clientGone(req.errored ?? undefined));
    };
    req.on('end', () => {
      watch?.delete(incoming);
      atTurnEnd(() => resolve(pieces.joined()));
    });
    // Comes after an error, too, and at the end of every request.
    req.on('close', gone);
    watch?.add(incoming);
  });
}

function tooSlow(): GatewayError {
  return new GatewayError('body_too_slow', 'the body came too slowly; send it at once', {
    headers: ['connection', 'close'],
  });
}

function clientGone(cause?: Error): GatewayError {
  return new GatewayError('client_gone', 'the client closed the connection', { cause });
}

function tooLarge(bytesMax: number): GatewayError {
  return new GatewayError('body_too_large', `the body has more than ${bytesMax} bytes`);
}
