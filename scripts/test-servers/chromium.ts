import { onPath } from './programs.ts';
import type { Requirement } from './requirement.ts';

/** Nothing to start: each file of tests that opens pages has a browser of its own. */
export const chromium: Requirement = {
  title: 'Chromium',
  variable: 'CHROMIUM_PATH',
  packageName: 'chromium',
  find: () =>
    ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
      .map(onPath)
      .find((path) => path !== undefined),
  start: async (program) => ({ value: program, stop: async () => undefined }),
};
