import type { Log } from '../telemetry/log.ts';

/** A promise that somebody forgot to wait for, in a module of somebody else's perhaps, must not end everybody's calls. */
export function logUnhandledRejections(log: Log): void {
  process.on('unhandledRejection', (err) => log.error({ err }, 'bug'));
}
