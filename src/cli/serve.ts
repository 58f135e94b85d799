import type { Environment } from '../gateway/settings.ts';
import { explainError } from '../process/explain-error.ts';
import { loadSettings } from '../process/load-settings.ts';

/** Runs the gateway until a signal stops it; resolves to the exit code. */
export async function serve(environment: Environment): Promise<number> {
  try {
    const settings = loadSettings(environment);
    // The primary process loads only what it needs, which halves its startup time.
    // In an airgap, the process with the modules has no network of its own.
    if (settings.workers > 1 || settings.isAirgapped)
      await (await import('./serve-with-workers.ts')).serveWithWorkers(environment, settings);
    else await (await import('./serve-single-process.ts')).serveSingleProcess(settings);
    return 0;
  } catch (thrown) {
    console.error(`weir: ${explainError(thrown)}`);
    return 1;
  }
}
