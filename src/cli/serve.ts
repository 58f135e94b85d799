import type { Environment } from '../gateway/settings.ts';
import { explained } from './explained.ts';
import { settingsFrom } from './settings-from.ts';

/** Runs the gateway until it is told to stop; resolves to the exit code. */
export async function serve(environment: Environment): Promise<number> {
  try {
    const settings = settingsFrom(environment);
    // The process that only starts others has no use for most of the gateway, and is there in half the time without it.
    if (settings.workers > 1)
      await (await import('./serve-together.ts')).serveTogether(environment, settings);
    else await (await import('./serve-alone.ts')).serveAlone(settings);
    return 0;
  } catch (thrown) {
    console.error(`weir: ${explained(thrown)}`);
    return 1;
  }
}
