import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HeaderList } from '../../kernel/headers.ts';
import type { WholeAnswer } from '../respond.ts';

/** The built files of the dashboard, which are read when somebody opens it, and stay in memory then. */
export interface Dashboard {
  /** A built file; undefined where there is none at that path. */
  asset(path: string, accepted: string | undefined): Promise<WholeAnswer> | undefined;
  /** The page, which finds out by its address what to show; undefined where something else than a page is asked for. */
  page(path: string, asked: Asked): Promise<WholeAnswer> | undefined;
}

interface Asked {
  readonly accept?: string | undefined;
  readonly 'accept-encoding'?: string | string[] | undefined;
}

/** Nothing from elsewhere, and nothing inside of the page: a script or a style that somebody smuggles in doesn't run. */
const policy = [
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

const pageHeaders: HeaderList = [
  'content-security-policy',
  policy,
  'x-content-type-options',
  'nosniff',
  'referrer-policy',
  'no-referrer',
  'cross-origin-opener-policy',
  'same-origin',
  'cache-control',
  'no-cache',
];
/** Their names change with what is in them. */
const assetHeaders: HeaderList = [
  'cache-control',
  'public, max-age=31536000, immutable',
  'x-content-type-options',
  'nosniff',
];

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};
const encodings = { br: '.br', gzip: '.gz' } as const;

/** What programs ask for is never a page. */
const forPrograms = /^\/(v1|v1beta|api|assets|webhooks|\.well-known)(\/|$)/;

/** Undefined where it was not built. */
export function openDashboard(folder: string): Dashboard | undefined {
  const names = new Set(filesIn(folder));
  if (!names.has('index.html')) return undefined;
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
  const file = async (name: string, accepted: string, headers: HeaderList): Promise<WholeAnswer> => {
    const encoding = encodingOf(accepted, (suffix) => names.has(name + suffix));
    const bytes = await read(encoding === undefined ? name : name + encodings[encoding]);
    const type = types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
    const encoded = encoding === undefined ? [] : ['content-encoding', encoding];
    return {
      status: 200,
      headers: ['content-type', type, ...encoded, 'vary', 'accept, accept-encoding', ...headers],
      bytes,
    };
  };
  return {
    asset(path, accepted) {
      const name = path.slice(1);
      const isAsset = name.startsWith('assets/') && names.has(name);
      return isAsset ? file(name, accepted ?? '', assetHeaders) : undefined;
    },
    page(path, { accept = '', 'accept-encoding': accepted }) {
      if (!accept.includes('text/html') || forPrograms.test(path)) return undefined;
      return file('index.html', String(accepted ?? ''), pageHeaders);
    },
  };
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
      name.replaceAll('\\', '/'),
    );
  } catch {
    return [];
  }
}

function encodingOf(accepted: string, has: (suffix: string) => boolean): keyof typeof encodings | undefined {
  const wanted = accepted.split(',').map((one) => one.trim().split(';'));
  const takes = (name: string) => wanted.some(([one, weight]) => one === name && weight?.trim() !== 'q=0');
  if (takes('br') && has(encodings.br)) return 'br';
  return takes('gzip') && has(encodings.gzip) ? 'gzip' : undefined;
}
