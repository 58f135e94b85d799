import { type HeaderList, headerOf } from '../../lib/headers.ts';
import { isApiPath } from '../api-paths.ts';
import type { BufferedResponse } from '../respond.ts';
import { openStaticFiles, pageHeaders } from './static-files.ts';

/** The built files of the dashboard. */
export interface Dashboard {
  /** A built file; undefined if there is none at the path. */
  asset(path: string, requestHeaders: HeaderList): Promise<BufferedResponse> | undefined;
  /** The single page, which routes by its URL; undefined if the request is not for HTML. */
  page(path: string, requestHeaders: HeaderList): Promise<BufferedResponse> | undefined;
}

/** Asset names contain a content hash. */
const assetHeaders: HeaderList = [
  'cache-control',
  'public, max-age=31536000, immutable',
  'x-content-type-options',
  'nosniff',
];

/** Paths that hold only files, never the page. */
const filePaths = /^\/(assets|\.well-known)(\/|$)/;

/** Undefined if the dashboard was not built. */
export function openDashboard(folder: string): Dashboard | undefined {
  const files = openStaticFiles(folder);
  if (!files.has('index.html')) return undefined;
  return {
    asset(path, requestHeaders) {
      const name = path.slice(1);
      const isAsset = name.startsWith('assets/') && files.has(name);
      return isAsset ? files.respond(name, { requestHeaders, headers: assetHeaders }) : undefined;
    },
    page(path, requestHeaders) {
      const isPage = headerOf(requestHeaders, 'accept')?.includes('text/html') === true && isPagePath(path);
      return isPage ? files.respond('index.html', { requestHeaders, headers: pageHeaders }) : undefined;
    },
  };
}

function isPagePath(path: string): boolean {
  return !isApiPath(path) && !filePaths.test(path);
}
