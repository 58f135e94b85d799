import type { TestContext } from 'node:test';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Line, Said } from '../../src/workers/peer.ts';

/** The two ends of a line over which everything is cloned, as between processes, with what went over it. */
export interface JoinedLines {
  readonly ends: readonly [Line, Line];
  readonly messages: readonly Said[];
  cut(): void;
}

export function joinedLines(t: TestContext): JoinedLines {
  const { port1, port2 } = new MessageChannel();
  const messages: Said[] = [];
  t.after(() => port1.close());
  return {
    ends: [lineOf(port1, messages), lineOf(port2, messages)],
    messages,
    cut: () => port1.close(),
  };
}

function lineOf(port: MessagePort, messages: Said[]): Line {
  return {
    send(message) {
      messages.push(message);
      port.postMessage(message);
    },
    onMessage: (hear) => void port.on('message', hear),
    onEnd: (then) => void port.on('close', then),
  };
}
