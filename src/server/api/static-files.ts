import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type HeaderList, headerOf } from '../../kernel/headers.ts';
import type { BufferedResponse } from '../respond.ts';

/** Files of a folder, which are read when somebody asks for them, and stay in memory then. */
export interface StaticFiles {
  has(name: string): boolean;
  /** One that is there, compressed in a way that is accepted if the folder has it so. */
  respond(name: string, staticFileOptions: StaticFileOptions): Promise<BufferedResponse>;
}

interface StaticFileOptions {
  /** What the client said. */
  readonly requestHeaders: HeaderList;
  readonly headers: HeaderList;
  readonly status?: number;
}

/** Nothing from elsewhere, and nothing inside of the page: a script or a style that somebody smuggles in doesn't run. */
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

/** Has none where there is no such folder. */
export function openStaticFiles(folder: string): StaticFiles {
  const names = new Set(listFiles(folder));
  const kept = new Map<string, Promise<Uint8Array>>();
  const read = (name: string) => {
    const known = kept.get(name);
    if (known !== undefined) return known;
    const bytes = readFile(join(folder, name));
    kept.set(name, bytes);
    // One that couldn't be read is tried again.
    bytes.catch(() => kept.delete(name));
    return bytes;
  };
  return {
    has: (name) => names.has(name),
    async respond(name, { requestHeaders, headers, status = 200 }) {
      const accepted = headerOf(requestHeaders, 'accept-encoding') ?? '';
      const encoding = chooseEncoding(accepted, (suffix) => names.has(name + suffix));
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

function chooseEncoding(
  accepted: string,
  has: (suffix: string) => boolean,
): keyof typeof encodingSuffixes | undefined {
  const wanted = accepted.split(',').map((one) => one.trim().split(';'));
  const takes = (name: string) => wanted.some(([one, weight]) => one === name && weight?.trim() !== 'q=0');
  if (takes('br') && has(encodingSuffixes.br)) return 'br';
  return takes('gzip') && has(encodingSuffixes.gzip) ? 'gzip' : undefined;
}
