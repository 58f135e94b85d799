import { posix } from 'node:path';
import type { HeaderList } from '../../kernel/headers.ts';
import type { BufferedResponse } from '../respond.ts';
import { openStaticFiles, pageHeaders, type StaticFiles } from './static-files.ts';

/** The documentation, below `/docs`. */
export interface Docs {
  /** What is at a path that begins with `/docs`. */
  page(path: string, asked: HeaderList): Promise<BufferedResponse>;
}

/** Their names stay the same with the next version. */
const assetHeaders: HeaderList = [
  'cache-control',
  'public, max-age=300',
  'x-content-type-options',
  'nosniff',
];

/** The folder is looked at when somebody opens the first page. */
export function openDocs(folder: string): Docs {
  let opened: StaticFiles | undefined;
  return {
    async page(path, requestHeaders) {
      const files = opened ?? openStaticFiles(folder);
      if (!files.has('index.html')) return docsNotBuilt;
      opened = files;
      const place = path.slice('/docs'.length + 1);
      // Links in a page are relative to its folder.
      if (!path.endsWith('/') && files.has(posix.join(place, 'index.html'))) return redirectTo(`${path}/`);
      const name = [place, `${place}.html`, `${place}index.html`].find((one) => files.has(one));
      if (name === undefined)
        return files.respond('404.html', { requestHeaders, headers: pageHeaders, status: 404 });
      return files.respond(name, {
        requestHeaders,
        headers: name.endsWith('.html') ? pageHeaders : assetHeaders,
      });
    },
  };
}

/** Whether a path is the documentation's. */
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
