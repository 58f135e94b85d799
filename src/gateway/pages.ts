import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDashboard } from '../server/api/dashboard.ts';
import { openDocs } from '../server/api/docs.ts';

const projectFolder = fileURLToPath(new URL('../../', import.meta.url));

/** The dashboard and the documentation, if they are built. */
export function openPages() {
  return {
    dashboard: openDashboard(join(projectFolder, 'web', 'dist')),
    docs: openDocs(join(projectFolder, 'site', 'dist')),
  };
}
