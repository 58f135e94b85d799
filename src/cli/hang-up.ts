import { isatty } from 'node:tty';

/** Does something on each SIGHUP, one at a time; of all that come meanwhile, the last is enough. */
export function onHangUp(work: () => Promise<void>): void {
  const hadTerminal = isatty(0);
  let isWorking = false;
  let again = false;
  process.on('SIGHUP', async () => {
    // The terminal was closed: that is the wish to end.
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
