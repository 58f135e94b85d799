import { promisify } from 'node:util';
import { brotliDecompress, gunzip, zstdDecompress } from 'node:zlib';
import type { HttpRequest } from '../http/request.ts';
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
export function readBody(req: HttpRequest, intake: Intake): Promise<Uint8Array> {
  const encoding = encodingOf(req);
  if (encoding === 'identity') return collect(req, intake);
  return readEncoded(req, encoding, intake).then(({ decoded }) => decoded);
}

/** A body as it came, and decoded. */
export interface Content {
  readonly raw: Uint8Array;
  readonly decoded: Uint8Array;
}

export async function readContent(req: HttpRequest, intake: Intake): Promise<Content> {
  const encoding = encodingOf(req);
  if (encoding !== 'identity') return readEncoded(req, encoding, intake);
  const raw = await collect(req, intake);
  return { raw, decoded: raw };
}

function encodingOf(req: HttpRequest): string {
  return req.header('content-encoding')?.toLowerCase() ?? 'identity';
}

async function readEncoded(req: HttpRequest, encoding: string, intake: Intake): Promise<Content> {
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

function collect({ body }: HttpRequest, intake: Intake): Promise<Buffer> {
  const { bytesMax, load, slowBodies } = intake;
  if (body.announced > bytesMax) return Promise.reject(tooLarge(bytesMax));
  // Most are there already, and can't be slow.
  if (body.isComplete) return taken(body.take(), intake);
  return new Promise((resolve, reject) => {
    const pieces = new Pieces(body.announced);
    const incoming = new IncomingBody(() => refuse(tooSlow()));
    const refuse = (refusal: unknown) => {
      slowBodies?.delete(incoming);
      body.stop();
      pieces.drop();
      reject(refusal);
    };
    slowBodies?.add(incoming);
    body.read({
      piece(chunk) {
        incoming.bytes += chunk.byteLength;
        if (incoming.bytes > bytesMax) return refuse(tooLarge(bytesMax));
        try {
          load?.add(chunk.byteLength);
          pieces.add(chunk);
        } catch (refusal) {
          refuse(refusal);
        }
      },
      end() {
        slowBodies?.delete(incoming);
        atTurnEnd(() => resolve(pieces.joined()));
      },
      gone() {
        slowBodies?.delete(incoming);
        pieces.drop();
        reject(clientGone());
      },
    });
  });
}

function taken(whole: Buffer, { bytesMax, load }: Intake): Promise<Buffer> {
  if (whole.byteLength > bytesMax) return Promise.reject(tooLarge(bytesMax));
  try {
    load?.add(whole.byteLength);
  } catch (refusal) {
    return Promise.reject(refusal);
  }
  return new Promise((resolve) => atTurnEnd(() => resolve(whole)));
}

function tooSlow(): GatewayError {
  return new GatewayError('body_too_slow', 'the body came too slowly; send it at once', {
    headers: ['connection', 'close'],
  });
}

function clientGone(): GatewayError {
  return new GatewayError('client_gone', 'the client closed the connection');
}

function tooLarge(bytesMax: number): GatewayError {
  return new GatewayError('body_too_large', `the body has more than ${bytesMax} bytes`);
}
