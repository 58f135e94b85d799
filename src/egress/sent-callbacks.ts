import type { Socket } from 'node:net';

/** Callbacks for bytes that have been sent. */
const sentCallbacks = new WeakMap<Uint8Array, () => void>();

/**
 * Calls back when bytes about to be sent are no longer needed: they are written, or their connection failed. Never calls
 * back for HTTP/2 connections.
 */
export function onSent(bytes: Uint8Array, then: () => void): void {
  sentCallbacks.set(bytes, then);
}

/** Makes a socket run the callbacks. */
export function watchSocket<Connection extends Socket>(socket: Connection): Connection {
  const write = socket.write.bind(socket);
  const watchedWrite = (
    chunk: Uint8Array | string,
    encoding?: BufferEncoding | WriteCallback,
    then?: WriteCallback,
  ): boolean => {
    const left = typeof chunk === 'string' ? undefined : sentCallbacks.get(chunk);
    if (left !== undefined) return write(chunk, left);
    return typeof encoding === 'function' ? write(chunk, encoding) : write(chunk, encoding, then);
  };
  socket.write = watchedWrite;
  return socket;
}

type WriteCallback = (error?: Error | null) => void;
