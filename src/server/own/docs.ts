import { posix } from 'node:path';
import type { HeaderList } from '../../kernel/headers.ts';
import type { WholeAnswer } from '../respond.ts';
import { type BuiltFiles, openBuiltFiles, pageHeaders } from './built-files.ts';

/** The documentation, below `/docs`. */
export interface Docs {
  /** What is at a path that begins with `/docs`. */
  page(path: string, asked: HeaderList): Promise<WholeAnswer>;
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
  let opened: BuiltFiles | undefined;
  return {
    async page(path, asked) {
      const files = opened ?? openBuiltFiles(folder);
      if (!files.has('index.html')) return notBuilt;
      opened = files;
      const place = path.slice('/docs'.length + 1);
      // Links in a page are relative to its folder.
      if (!path.endsWith('/') && files.has(posix.join(place, 'index.html'))) return movedTo(`${path}/`);
      const name = [place, `${place}.html`, `${place}index.html`].find((one) => files.has(one));
      if (name === undefined) return files.answer('404.html', { asked, headers: pageHeaders, status: 404 });
      return files.answer(name, { asked, headers: name.endsWith('.html') ? pageHeaders : assetHeaders });
    },
  };
}

/** Whether a path is the documentation's. */
export function isInDocs(path: string): boolean {
  return path === '/docs' || path.startsWith('/docs/');
}

function movedTo(path: string): WholeAnswer {
  return {
    status: 308,
    headers: ['location', path, 'content-type', 'text/plain; charset=utf-8'],
    bytes: Buffer.from(`This page is at ${path}\n`),
  };
}

const notBuilt: WholeAnswer = {
  status: 404,
  headers: ['content-type', 'text/plain; charset=utf-8', 'cache-control', 'no-cache'],
  bytes: Buffer.from(
    'The documentation is not built here. In a clone, "npm ci && npm run docs" builds it; the same pages are in the folder docs.\n',
  ),
};
