import type { Worker } from 'node:cluster';
import type { ProcessChannel } from './rpc-peer.ts';

/** The channel between a worker and the primary process, from either end. */
export function channelTo(worker: Worker): ProcessChannel {
  return {
    // A link that is broken is told of by its end.
    send: (message) => void worker.send(message, () => undefined),
    onMessage: (hear) => void worker.on('message', hear),
    onEnd: (then) => void worker.on('disconnect', then),
  };
}
