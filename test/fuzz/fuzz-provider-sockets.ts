import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { FakeUpstream } from '../../src/testing/fake-upstream.ts';
import { startTestGateway } from '../../src/testing/test-gateway.ts';
import { parseObject, stringOf } from '../../src/wire/json-values.ts';
import { answering } from '../agents/scripted-turns.ts';
import { call } from '../support/call.ts';
import { type ProviderMessage, SocketProvider } from '../support/socket-provider.ts';
import { mutatedJson } from './mutated-json.ts';
import { Random } from './random.ts';

interface ProviderSocketFuzz {
  readonly seed: number;
  /** How long it goes on. */
  readonly ms: number;
}

const lanes: readonly string[] = ['a', 'b', 'c'];

/**
 * A provider sends hostile messages over its WebSocket. Every call must end once, the client's WebSocket must go on, no call may
 * stay open, and nothing may be a bug. Returns the number of calls.
 */
export async function fuzzProviderSockets({ seed, ms }: ProviderSocketFuzz): Promise<number> {
  const fake = await FakeUpstream.start((request) => answering(request, { text: 'Hello' }));
  const weir = await startTestGateway({
    WEIR_OPENAI_BASE_URL: `${fake.url}/v1`,
    OPENAI_API_KEY: 'sk-tests',
  });
  const provider = SocketProvider.at(fake);
  const untilMs = performance.now() + ms;
  let round = 0;
  try {
    for (; performance.now() < untilMs; round++) {
      const random = new Random(seed, round);
      provider.answerWith((message) => {
        if (message.json.stream_id === 'last') message.answer('Hello');
        else answerHostilely(message, random);
      });
      const socket = new WebSocket(`${weir.url.replace('http', 'ws')}/v1/responses`);
      await once(socket, 'open');
      await Promise.all(lanes.map((lane) => endingOf(socket, lane, `round ${round}`)));
      assert.equal(await endingOf(socket, 'last', `round ${round}`), 'response.completed', `round ${round}`);
      socket.terminate();
      provider.messages.length = 0;
      provider.sent.length = 0;
    }
    while (!/^weir_open_calls 0$/m.test((await call(weir.url, { path: '/metrics' })).text)) await nextTurn();
    assert.deepEqual(
      weir.logLines.filter((line) => line.includes('"level":"error"')),
      [],
    );
  } finally {
    await weir.close();
    await fake.close();
  }
  return round * (lanes.length + 1);
}

/** Makes a call, and resolves to the type of the message that ends it. */
async function endingOf(socket: WebSocket, lane: string, round: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  socket.on('message', (data) => {
    const { stream_id, type } = parseObject(data.toString()) ?? {};
    if (stream_id === lane && endingTypes.has(stringOf(type) ?? '')) resolve(stringOf(type) ?? '');
  });
  socket.on('close', (code) => reject(new Error(`${round}: the WebSocket was closed with ${code}`)));
  const fields = { type: 'response.create', model: 'gpt-5-codex', store: false, input: 'Hello' };
  socket.send(JSON.stringify({ ...fields, stream_id: lane }), {});
  return promise;
}

const endingTypes: ReadonlySet<string> = new Set([
  'error',
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
]);

const response = {
  id: 'resp_1',
  object: 'response',
  model: 'gpt-5-codex',
  output: [],
  usage: { input_tokens: 1 },
};
const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: [] };
const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };

const patterns: readonly object[] = [
  { type: 'response.created', response },
  { type: 'response.output_item.added', output_index: 0, item },
  { type: 'response.output_text.delta', ...place, delta: 'Hello' },
  { type: 'response.completed', response: { ...response, status: 'completed' } },
  { type: 'response.failed', response: { ...response, error: { code: 'server_error', message: 'x' } } },
  { type: 'error', status: 429, error: { code: 'rate_limit_exceeded' }, headers: { 'retry-after': '1' } },
  { type: 'error', error: { code: 'websocket_connection_limit_reached' } },
  { type: 'response.steer.failed' },
];

function answerHostilely({ send, answer, webSocket, json }: ProviderMessage, random: Random): void {
  for (let left = random.below(8); left > 0; left--) {
    const stream_id = random.happens(0.8) ? json.stream_id : random.pick([...lanes, 'unknown', 7, null]);
    const text = mutatedJson({ ...random.pick(patterns), stream_id }, random, random.below(3));
    const chance = random.below(100);
    if (chance < 5) webSocket.send(Buffer.from(text), { binary: true });
    else if (chance < 10) send(text.slice(0, random.below(text.length)));
    else if (chance < 11) send(`{"type":"x","delta":"${'x'.repeat(17 * 1024 * 1024)}"}`);
    else if (chance < 16) send(text.replaceAll(',', ',\n'));
    else send(text);
  }
  if (random.happens(0.4)) answer('Hello');
  else if (random.happens(0.5)) webSocket.terminate();
  else webSocket.close();
}
