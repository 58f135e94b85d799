import { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { GatewayError } from '../kernel/errors.ts';
import type { Source } from '../kernel/reply/source.ts';

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
} as const;

function isSupportedEncoding(encoding: string): encoding is keyof typeof decoders {
  return Object.hasOwn(decoders, encoding);
}

/** Removes the content encoding: we request none, but some providers send one anyway. */
export function decompressBody(body: Source<Uint8Array>, encoding: string): Source<Uint8Array> | undefined {
  const name = encoding.trim().toLowerCase();
  if (!isSupportedEncoding(name)) return undefined;
  const decoder = decoders[name]();
  const compressed = Readable.from(iterateChunks(body), { objectMode: false });
  compressed.on('error', (error) => decoder.destroy(error)).pipe(decoder);
  const chunks = decoder[Symbol.asyncIterator]();
  return {
    async next() {
      try {
        const step = await chunks.next();
        return step.done === true ? undefined : step.value;
      } catch (cause) {
        body.cancel();
        if (GatewayError.is(cause)) throw cause;
        throw new GatewayError('upstream_broken', `the provider's response is not valid ${name}`, { cause });
      }
    },
    cancel() {
      body.cancel();
      decoder.destroy();
    },
  };
}

async function* iterateChunks(body: Source<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let chunk = await body.next(); chunk !== undefined; chunk = await body.next()) yield chunk;
}
