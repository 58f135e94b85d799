import { posix } from 'node:path';
import type { HeaderList } from '../../lib/headers.ts';
import type { BufferedResponse } from '../respond.ts';
import { openStaticFiles, pageHeaders, type StaticFiles } from './static-files.ts';

/** The documentation, below `/docs`. */
export interface Docs {
  /** The response for a path that begins with `/docs`. */
  page(path: string, requestHeaders: HeaderList): Promise<BufferedResponse>;
}

/** Asset names stay the same across versions, so they are cached briefly. */
const assetHeaders: HeaderList = [
  'cache-control',
  'public, max-age=300',
  'x-content-type-options',
  'nosniff',
];

/** Reads the folder on the first request. */
export function openDocs(folder: string): Docs {
  let opened: StaticFiles | undefined;
  return {
    async page(path, requestHeaders) {
      const files = opened ?? openStaticFiles(folder);
      if (!files.has('index.html')) return docsNotBuilt;
      opened = files;
      const relativePath = path.slice('/docs'.length + 1);
      // Links in a page are relative to its folder.
      if (!path.endsWith('/') && files.has(posix.join(relativePath, 'index.html')))
        return redirectTo(`${path}/`);
      const candidates = [relativePath, `${relativePath}.html`, `${relativePath}index.html`];
      const name = candidates.find((candidate) => files.has(candidate));
      if (name === undefined)
        return files.respond('404.html', { requestHeaders, headers: pageHeaders, status: 404 });
      return files.respond(name, {
        requestHeaders,
        headers: name.endsWith('.html') ? pageHeaders : assetHeaders,
      });
    },
  };
}

export function isDocsPath(path: string): boolean {
  return path === '/docs' || path.startsWith('/docs/');
}

function redirectTo(path: string): BufferedResponse {
  return {
    status: 308,
    headers: ['location', path, 'content-type', 'text/plain; charset=utf-8'],
    bytes: Buffer.from(`This page is at ${path}\n`),
  };
}

const docsNotBuilt: BufferedResponse = {
  status: 404,
  headers: ['content-type', 'text/plain; charset=utf-8', 'cache-control', 'no-cache'],
  bytes: Buffer.from(
    'The documentation is not built here. In a clone, "npm ci && npm run docs" builds it; the same pages are in the folder docs.\n',
  ),
};
