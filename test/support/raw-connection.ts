import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import { cleanUp } from './clean-up.ts';

/** A connection without a client library: requests can be written before the answer to an earlier one has ended. */
export interface RawConnection {
  send(bytes: string | Uint8Array): void;
  /** Says that nothing more will come. */
  end(bytes?: string): void;
  /** Whatever came so far. */
  text(): string;
  ended(): boolean;
  /** Everything that comes until the other side ends it. */
  readonly whole: Promise<string>;
  pause(): void;
  resume(): void;
}

export function rawConnection(t: TestContext, url: string): RawConnection {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  cleanUp(t, () => socket.destroy());
  let text = '';
  const { promise: whole, resolve } = Promise.withResolvers<string>();
  socket.setEncoding('latin1').on('data', (piece) => {
    text += piece;
  });
  socket.on('error', () => undefined);
  socket.on('end', () => resolve(text)).on('close', () => resolve(text));
  return {
    send: (bytes) => void socket.write(bytes),
    end: (bytes = '') => void socket.end(bytes),
    text: () => text,
    ended: () => socket.readableEnded || socket.destroyed,
    whole,
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
  };
}
