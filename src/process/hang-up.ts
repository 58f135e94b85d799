import { isatty } from 'node:tty';

/** Runs an action on each SIGHUP, one at a time; signals that arrive meanwhile trigger one more run. */
export function onHangUp(work: () => Promise<void>): void {
  const hadTerminal = isatty(0);
  let isWorking = false;
  let again = false;
  process.on('SIGHUP', async () => {
    // The terminal was closed, so the process should end.
    if (hadTerminal && !isatty(0)) {
      process.kill(process.pid, 'SIGTERM');
      return;
    }
    again = true;
    if (isWorking) return;
    isWorking = true;
    while (again) {
      again = false;
      await work().catch((thrown: unknown) =>
        console.error(`weir: ${thrown instanceof Error ? thrown.message : String(thrown)}`),
      );
    }
    isWorking = false;
  });
}
