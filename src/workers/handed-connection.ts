import type { Worker } from 'node:cluster';

/**
 * Closes, when a worker has ended, the connection that it was handed and had not taken yet. Node.js keeps it open in the
 * primary process for ever, and whoever is at the other end would wait for an answer.
 */
export function closeHandedConnection(worker: Worker): void {
  const { process: child } = worker;
  const { send } = child;
  // A worker is handed one at a time, and says whether it has taken it: if not, it is for another worker.
  let handed: unknown;
  Object.assign(child, {
    send(...values: readonly unknown[]) {
      handed = values[1] ?? handed;
      return Reflect.apply(send, child, values);
    },
  });
  child.prependListener('internalMessage', (message: unknown) => {
    if (typeof message === 'object' && message !== null && 'accepted' in message) handed = undefined;
  });
  worker.on('exit', () => {
    if (typeof handed !== 'object' || handed === null || !('close' in handed)) return;
    if (typeof handed.close === 'function') handed.close();
  });
}
