import type { Worker } from 'node:cluster';
import type { ProcessChannel } from './rpc-peer.ts';

/** The channel between a worker and the primary process, from either end. */
export function channelTo(worker: Worker): ProcessChannel {
  return {
    // A broken channel is reported by its `disconnect` event.
    send: (message) => void worker.send(message, () => undefined),
    // Others are about connections.
    onMessage: (listener) =>
      void worker.on('message', (message) => {
        if ('invocations' in message) listener(message);
      }),
    onEnd: (listener) => void worker.on('disconnect', listener),
  };
}
