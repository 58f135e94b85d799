import type { TestContext } from 'node:test';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { ProcessChannel, RpcMessage } from '../../src/workers/rpc-peer.ts';

/** The two ends of a link over which everything is cloned, as between processes, with what went over it. */
export interface ProcessLinkPair {
  readonly ends: readonly [ProcessChannel, ProcessChannel];
  readonly messages: readonly RpcMessage[];
  cut(): void;
}

export function createProcessLinkPair(t: TestContext): ProcessLinkPair {
  const { port1, port2 } = new MessageChannel();
  const messages: RpcMessage[] = [];
  t.after(() => port1.close());
  return {
    ends: [linkOf(port1, messages), linkOf(port2, messages)],
    messages,
    cut: () => port1.close(),
  };
}

function linkOf(port: MessagePort, messages: RpcMessage[]): ProcessChannel {
  return {
    send(message) {
      messages.push(message);
      port.postMessage(message);
    },
    onMessage: (hear) => void port.on('message', hear),
    onEnd: (then) => void port.on('close', then),
  };
}
