import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import fc from 'fast-check';
import { WebSocket } from 'ws';
import { objectsOf } from '../src/wire/json-values.ts';
import { call } from './support/call.ts';
import { eventually } from './support/eventually.ts';
import { RealtimeProvider, realtimeUsage, responseEvents } from './support/realtime-provider.ts';
import { startGatewayOfFile } from './support/scripted-gateway.ts';

const { fake, weir } = await startGatewayOfFile({ WEIR_PIPELINE: 'cost-guard?day=100000' });
const provider = RealtimeProvider.at(fake);
const usage = realtimeUsage({ audio: 100, audioOut: 100 });

async function openSession(): Promise<WebSocket> {
  const socket = new WebSocket(`${weir.url.replace('http', 'ws')}/v1/realtime?model=gpt-realtime`, []);
  socket.on('error', () => undefined);
  await once(socket, 'open');
  return socket;
}

async function heldUsd(): Promise<number> {
  const { json } = await call(weir.url, { path: '/v1/budgets' });
  return Number(objectsOf(json.budgets)[0]?.held_usd ?? 0);
}

test('200 sessions talk at once, and none leaves money held', async (t) => {
  provider.script(
    () => undefined,
    (event, one) => {
      if (event.type === 'response.create') for (const sent of responseEvents('hi', usage)) one.send(sent);
    },
  );
  const sockets = await Promise.all(Array.from({ length: 200 }, openSession));
  t.after(() => sockets.forEach((socket) => void socket.terminate()));
  let done = 0;
  for (const socket of sockets)
    socket.on('message', (data) => {
      if (data.includes('"response.done"')) done++;
    });
  const sound = JSON.stringify({ type: 'input_audio_buffer.append', audio: 'A'.repeat(6400) });
  for (const socket of sockets) {
    for (let count = 0; count < 10; count++) socket.send(sound, {});
    socket.send('{"type":"response.create"}', {});
  }
  await eventually(() => (done === 200 ? true : undefined));
  const { text } = await call(weir.url, { path: '/metrics' });
  assert.match(text, /weir_realtime_sessions 200\n/);
  for (const socket of sockets) socket.close(1000);
  await eventually(async () => ((await heldUsd()) === 0 ? true : undefined));
});

test('a response whose start is reported twice is one response, and leaves no money held', async () => {
  const [started = {}, ...others] = responseEvents('hi', usage);
  const events = [started, started, ...others];
  provider.script(
    () => undefined,
    (_, one) => {
      for (const event of events) one.send(event);
    },
  );
  const socket = await openSession();
  let received = 0;
  socket.on('message', () => received++);
  socket.send('{"type":"response.create"}', {});
  await eventually(() => (received === events.length ? true : undefined));
  socket.close(1000);
  await eventually(async () => ((await heldUsd()) === 0 ? true : undefined));
});

const oddTexts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.json({ maxDepth: 3 }),
  fc.constantFrom(
    '{"type":"response.create"}',
    '{"type":"response.create","type":"x"}',
    '{"type":"response\\u002ecreate","response":{"max_output_tokens":"inf"}}',
    '{"type":"response.create","response":7}',
    '{"type":"session.update","session":{"max_output_tokens":-1,"audio":7}}',
    '{"type":"session.update","session":null}',
    '{"type":"input_audio_buffer.append","audio":7}',
    '{"type":"response.created","response":{"id":"resp_a"}}',
    '{"type":"response.created"}',
    '{"type":"response.done","response":{"id":"resp_a","usage":{"input_tokens":-5,"output_tokens":1e300}}}',
    '{"type":"response.done","response":{"id":"resp_b","usage":{"input_tokens":5,"output_tokens":7}}}',
    '{"type":"response.done","response":[]}',
    '{"type":"conversation.item.input_audio_transcription.completed","usage":{"seconds":-1}}',
    '{"type":"response.output_audio.delta"}',
    '{"type":"error"}',
    '{"type":"session.updated","session":{"max_output_tokens":{},"audio":{"input":{"format":[]}}}}',
  ),
);
const oddMessages = fc.array(fc.oneof(oddTexts, fc.uint8Array({ maxLength: 40 })), { maxLength: 12 });

test('odd messages of both sides pass as they are, and every session settles', async () => {
  const linesBefore = weir.logLines.length;
  await fc.assert(
    fc.asyncProperty(oddMessages, oddMessages, async (ofClient, ofProvider) => {
      provider.script((one) => {
        for (const message of ofProvider)
          one.send(typeof message === 'string' ? message : Buffer.from(message));
      });
      const received: Buffer[] = [];
      const socket = new WebSocket(`${weir.url.replace('http', 'ws')}/v1/realtime?model=gpt-realtime`, []);
      socket.on('message', (data) => received.push(data));
      await once(socket, 'open');
      for (const message of ofClient)
        socket.send(typeof message === 'string' ? message : Buffer.from(message), {
          binary: typeof message !== 'string',
        });
      await eventually(() => (received.length >= ofProvider.length ? true : undefined));
      assert.deepEqual(
        received.slice(0, ofProvider.length).map((data) => data.toString('hex')),
        ofProvider.map((message) => Buffer.from(message).toString('hex')),
      );
      socket.terminate();
      await eventually(() => provider.last.closedWith);
    }),
    { numRuns: Number(process.env.REALTIME_RUNS ?? 15) },
  );
  await eventually(async () => ((await heldUsd()) === 0 ? true : undefined));
  assert.deepEqual(
    weir.logLines.slice(linesBefore).filter((line) => /"level":"error"/.test(line)),
    [],
  );
});
