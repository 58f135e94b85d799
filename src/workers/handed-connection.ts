import type { Worker } from 'node:cluster';

/**
 * Closes the connection that an ended worker was handed and had not accepted. Otherwise Node.js keeps it open in the
 * primary process forever, and its client waits.
 */
export function closeHandedConnection(worker: Worker): void {
  const { process: child } = worker;
  const { send } = child;
  // A worker is handed one connection at a time and reports whether it has accepted it; otherwise another worker gets it.
  let handed: unknown;
  Object.assign(child, {
    send(...values: readonly unknown[]) {
      // A connection that the worker asked for is no such handle.
      if (values[1] !== undefined && 'close' in Object(values[1])) handed = values[1];
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
