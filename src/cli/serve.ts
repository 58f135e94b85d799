import type { Environment } from '../gateway/settings.ts';
import { explainError } from '../process/explain-error.ts';
import { loadAll } from '../process/load-settings.ts';

/** Runs the gateway until a signal stops it; resolves to the exit code. */
export async function serve(environment: Environment, assignments: readonly string[] = []): Promise<number> {
  try {
    const load = () => loadAll(environment, { assignments });
    const loaded = await load();
    // The primary process loads only what it needs, which halves its startup time.
    // In an airgap, the process with the modules has no network of its own.
    if (loaded.settings.workers > 1 || loaded.settings.isAirgapped)
      await (await import('./serve-with-workers.ts')).serveWithWorkers(loaded, load);
    else await (await import('./serve-single-process.ts')).serveSingleProcess(loaded, load);
    return 0;
  } catch (thrown) {
    console.error(`weir: ${explainError(thrown)}`);
    return 1;
  }
}
