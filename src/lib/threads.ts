import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Starts a thread of the gateway. Node.js options of a program that embeds the gateway are not for it, but the permissions of
 * this process are. A process that may not replace a lost thread ends: the primary process replaces it.
 */
export function startThread(file: URL, options: WorkerOptions = {}): Worker {
  const { permission, execArgv } = process;
  if (permission?.has('worker') === false) {
    console.error('weir: a thread was lost, and may not be replaced with WEIR_AIRGAP: this process ends');
    process.exit(1);
  }
  return new Worker(file, { ...options, execArgv: permission === undefined ? [] : execArgv });
}
