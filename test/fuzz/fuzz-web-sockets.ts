import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type HttpImplementation, HttpServer } from '../../src/http/server.ts';
import { WebSocketConnection, type WebSocketLimits } from '../../src/http/websocket.ts';
import { patient } from '../support/http-server.ts';
import { Random } from './random.ts';

interface WebSocketFuzz {
  readonly seed: number;
  /** How long it goes on. */
  readonly ms: number;
}

const limits: WebSocketLimits = {
  messageBytesMax: 70_000,
  unreadMessagesMax: 4,
  fragmentsMax: 8,
  controlFramesMax: 8,
  pingMs: 600_000,
  idleMs: 600_000,
  closeMs: 50,
  unsentBytesMax: 64 * 1024,
};

/**
 * Sends hostile frames, cut anywhere, to a server that returns messages. Every connection must end, and only whole and valid
 * messages may arrive. Returns the number of connections.
 */
export async function fuzzWebSockets(
  implementation: HttpImplementation,
  { seed, ms }: WebSocketFuzz,
): Promise<number> {
  let open = 0;
  const server = new HttpServer({
    ...patient,
    implementation,
    mayUpgrade: () => true,
    async serve(_, res) {
      const webSocket = WebSocketConnection.accept(res, { headers: [], limits });
      if (webSocket === undefined) return;
      open++;
      for await (const { data, isBinary } of webSocket) {
        assert.ok(data.byteLength <= limits.messageBytesMax);
        if (!isBinary) new TextDecoder('utf-8', { fatal: true }).decode(data);
        await webSocket.send(isBinary ? data : data.toString());
      }
      await webSocket.closed;
      open--;
    },
  });
  const port = await server.listen('127.0.0.1', 0);
  const untilMs = performance.now() + ms;
  let round = 0;
  try {
    for (; performance.now() < untilMs; round++) {
      const random = new Random(seed, round);
      const trials = Array.from({ length: 8 }, () => sendFrames(port, hostileFrames(random), random));
      await Promise.all(trials);
    }
    while (open > 0) await new Promise((resolve) => setImmediate(resolve));
  } finally {
    const closed = server.close();
    server.closeAllConnections();
    await closed;
  }
  return round * 8;
}

const handshake = `GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${Buffer.alloc(16).toString('base64')}\r\n\r\n`;

/** Resolves when the connection has closed. */
async function sendFrames(port: number, frames: Buffer, random: Random): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1' });
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.on('error', () => undefined).resume();
  await once(socket, 'connect');
  const bytes = Buffer.concat([Buffer.from(handshake), frames]);
  for (let at = 0; at < bytes.byteLength && !socket.destroyed; ) {
    const end = at + 1 + random.below(random.happens(0.3) ? 8 : bytes.byteLength);
    socket.write(bytes.subarray(at, end));
    if (random.happens(0.2)) await new Promise((resolve) => setImmediate(resolve));
    at = end;
  }
  if (random.happens(0.2)) socket.destroy();
  else socket.end();
  await closed;
}

function hostileFrames(random: Random): Buffer {
  const frames = Array.from({ length: 1 + random.below(12) }, () => hostileFrame(random));
  const bytes = Buffer.concat(frames);
  for (let flips = random.below(3); flips > 0; flips--)
    bytes[random.below(bytes.byteLength)] = random.below(256);
  return random.happens(0.2) ? bytes.subarray(0, random.below(bytes.byteLength)) : bytes;
}

const opcodes = [0, 0, 1, 1, 1, 2, 2, 3, 8, 9, 10, 15];
const lengths = [0, 0, 1, 5, 125, 126, 127, 65_535, 65_536, 70_001];

/** A frame of a client that is valid more often than not. */
function hostileFrame(random: Random): Buffer {
  const payload = Buffer.alloc(random.pick(lengths), random.happens(0.8) ? 'é' : 0xff);
  const told = random.happens(0.95) ? payload.byteLength : random.below(2 ** 31);
  const first = (random.happens(0.8) ? 0x80 : 0) | (random.happens(0.05) ? 0x40 : 0) | random.pick(opcodes);
  const masked = random.happens(0.95) ? 0x80 : 0;
  const head =
    told < 126
      ? Buffer.from([first, masked | told])
      : told < 65_536
        ? Buffer.from([first, masked | 126, told >> 8, told & 255])
        : Buffer.from([
            first,
            masked | 127,
            0,
            0,
            0,
            0,
            told >>> 24,
            (told >> 16) & 255,
            (told >> 8) & 255,
            told & 255,
          ]);
  return Buffer.concat([head, masked === 0 ? Buffer.alloc(0) : Buffer.alloc(4), payload]);
}
