import type { Environment } from '../gateway/settings.ts';
import { explainError } from './explain-error.ts';
import { loadSettings } from './load-settings.ts';

/** Runs the gateway until it is told to stop; resolves to the exit code. */
export async function serve(environment: Environment): Promise<number> {
  try {
    const settings = loadSettings(environment);
    // The process that only starts others has no use for most of the gateway, and is there in half the time without it.
    if (settings.workers > 1)
      await (await import('./serve-with-workers.ts')).serveWithWorkers(environment, settings);
    else await (await import('./serve-single-process.ts')).serveSingleProcess(settings);
    return 0;
  } catch (thrown) {
    console.error(`weir: ${explainError(thrown)}`);
    return 1;
  }
}
