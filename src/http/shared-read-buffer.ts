import { Socket } from 'node:net';

/** What a connection has beyond this comes with its next read; most of what agents send fits. */
const readBytesMax = 128 * 1024;

/** One for all connections: what was read is looked at before anything else is. */
let sharedBuffer: Buffer | undefined;

/**
 * Reads a connection into memory that all of them share, and shows what came, for that moment only. A stream takes 64 KB of new memory
 * for each read, and with its states a quarter of what a small request costs. Node.js has this (`onread`) for sockets that are
 * made by hand, so that the connection moves from the one that it was accepted with to such a one; where it can't, it is read as a stream.
 */
export function readIntoSharedBuffer(accepted: Socket, show: (bytes: Buffer) => void): Socket {
  const handle: unknown = Reflect.get(accepted, '_handle');
  if (!canMoveHandle(handle)) return accepted.on('data', show);
  Reflect.set(accepted, '_handle', null);
  accepted.destroy();
  sharedBuffer ??= Buffer.allocUnsafeSlow(readBytesMax);
  const buffer = sharedBuffer;
  const callback = (length: number) => {
    show(buffer.subarray(0, length));
    return true;
  };
  const { allowHalfOpen } = accepted;
  // As Node.js makes the sockets of its own servers.
  return Reflect.construct(Socket, [{ handle, allowHalfOpen, onread: { buffer, callback } }]);
}

/** Whether this is what Node.js has had below its sockets for years; it is no part of what it promises. */
function canMoveHandle(handle: unknown): boolean {
  return typeof handle === 'object' && handle !== null && 'useUserBuffer' in handle;
}
