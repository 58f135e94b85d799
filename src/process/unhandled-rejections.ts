import type { Log } from '../telemetry/log.ts';

/** An unhandled rejection, perhaps in a third-party module, must not end all calls. */
export function logUnhandledRejections(log: Log): void {
  process.on('unhandledRejection', (err) => log.error({ err }, 'bug'));
}
