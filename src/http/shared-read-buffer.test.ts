import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, Socket } from 'node:net';
import { test } from 'node:test';
import { cleanUp } from '../../test/support/clean-up.ts';
import { eventually } from '../../test/support/eventually.ts';
import { readIntoSharedBuffer } from './shared-read-buffer.ts';

test('connections are read into one memory, and each ends like any other', async (t) => {
  const shown: { readonly memory: ArrayBufferLike; readonly text: string }[] = [];
  const ends: string[] = [];
  const server = createServer({ allowHalfOpen: true }, (accepted) => {
    const socket = readIntoSharedBuffer(accepted, (bytes) => {
      shown.push({ memory: bytes.buffer, text: bytes.toString() });
    });
    socket.on('end', () => {
      ends.push('end');
      socket.end('bye');
    });
    socket.on('close', () => ends.push('close'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanUp(t, () => server.close());
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const clients = [connect(address.port, '127.0.0.1'), connect(address.port, '127.0.0.1')];
  for (const [at, client] of clients.entries()) {
    client.write(`hello ${at}`);
    await eventually(() => shown[at]);
  }
  const [first, second] = shown;
  assert.deepEqual([first?.text, second?.text], ['hello 0', 'hello 1']);
  assert.equal(first?.memory, second?.memory);
  for (const client of clients) {
    client.end();
    const [said] = await once(client, 'data');
    assert.equal(String(said), 'bye');
  }
  await eventually(() => ends[3]);
  assert.deepEqual(ends.toSorted(), ['close', 'close', 'end', 'end']);
});

test('one that can’t be moved is read as a stream', () => {
  const shown: string[] = [];
  const accepted = new Socket();
  const socket = readIntoSharedBuffer(accepted, (bytes) => shown.push(bytes.toString()));
  assert.equal(socket, accepted);
  socket.emit('data', Buffer.from('hello'));
  assert.deepEqual(shown, ['hello']);
  socket.destroy();
});
