import { type HeaderList, headerOf } from '../../kernel/headers.ts';
import { isForPrograms } from '../program-paths.ts';
import type { WholeAnswer } from '../respond.ts';
import { openBuiltFiles, pageHeaders } from './built-files.ts';

/** The built files of the dashboard. */
export interface Dashboard {
  /** A built file; undefined where there is none at that path. */
  asset(path: string, asked: HeaderList): Promise<WholeAnswer> | undefined;
  /** The page, which finds out by its address what to show; undefined where something else than a page is asked for. */
  page(path: string, asked: HeaderList): Promise<WholeAnswer> | undefined;
}

/** Their names change with what is in them. */
const assetHeaders: HeaderList = [
  'cache-control',
  'public, max-age=31536000, immutable',
  'x-content-type-options',
  'nosniff',
];

/** Where there are files, or nothing. */
const filePaths = /^\/(assets|\.well-known)(\/|$)/;

/** Undefined where it was not built. */
export function openDashboard(folder: string): Dashboard | undefined {
  const files = openBuiltFiles(folder);
  if (!files.has('index.html')) return undefined;
  return {
    asset(path, asked) {
      const name = path.slice(1);
      const isAsset = name.startsWith('assets/') && files.has(name);
      return isAsset ? files.answer(name, { asked, headers: assetHeaders }) : undefined;
    },
    page(path, asked) {
      const isPage = headerOf(asked, 'accept')?.includes('text/html') === true && mayBePage(path);
      return isPage ? files.answer('index.html', { asked, headers: pageHeaders }) : undefined;
    },
  };
}

function mayBePage(path: string): boolean {
  return !isForPrograms(path) && !filePaths.test(path);
}
