import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HeaderList } from '../../lib/headers.ts';
import { acceptsEncoding } from '../accepts-encoding.ts';
import type { BufferedResponse } from '../respond.ts';

/** The files of a folder, read on first use and then cached in memory. */
export interface StaticFiles {
  has(name: string): boolean;
  /** Serves an existing file, precompressed if the client accepts an encoding that the folder has. */
  respond(name: string, staticFileOptions: StaticFileOptions): Promise<BufferedResponse>;
}

interface StaticFileOptions {
  readonly requestHeaders: HeaderList;
  readonly headers: HeaderList;
  readonly status?: number;
}

/** No external and no inline resources, so injected scripts and styles don't run. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const pageHeaders: HeaderList = [
  'content-security-policy',
  contentSecurityPolicy,
  'x-content-type-options',
  'nosniff',
  'referrer-policy',
  'no-referrer',
  'cross-origin-opener-policy',
  'same-origin',
  'cache-control',
  'no-cache',
];

const contentTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
};
const encodingSuffixes = { br: '.br', gzip: '.gz' } as const;

/** A missing folder counts as empty. */
export function openStaticFiles(folder: string): StaticFiles {
  const names = new Set(listFiles(folder));
  const cache = new Map<string, Promise<Uint8Array>>();
  const read = (name: string) => {
    const cached = cache.get(name);
    if (cached !== undefined) return cached;
    const bytes = readFile(join(folder, name));
    cache.set(name, bytes);
    // A failed read is retried on the next request.
    bytes.catch(() => cache.delete(name));
    return bytes;
  };
  return {
    has: (name) => names.has(name),
    async respond(name, { requestHeaders, headers, status = 200 }) {
      const encoding = (['br', 'gzip'] as const).find(
        (one) => acceptsEncoding(requestHeaders, one) && names.has(name + encodingSuffixes[one]),
      );
      const bytes = await read(encoding === undefined ? name : name + encodingSuffixes[encoding]);
      const type = contentTypes[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
      const encoded = encoding === undefined ? [] : ['content-encoding', encoding];
      return {
        status,
        headers: ['content-type', type, ...encoded, 'vary', 'accept, accept-encoding', ...headers],
        bytes,
      };
    },
  };
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
      name.replaceAll('\\', '/'),
    );
  } catch {
    return [];
  }
}
