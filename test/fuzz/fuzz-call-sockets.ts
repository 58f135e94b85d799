import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { FakeUpstream } from '../../src/testing/fake-upstream.ts';
import { startTestGateway } from '../../src/testing/test-gateway.ts';
import { parseObject, stringOf } from '../../src/wire/json-values.ts';
import { answering } from '../agents/scripted-turns.ts';
import { call } from '../support/call.ts';
import { mutatedJson } from './mutated-json.ts';
import { Random } from './random.ts';

interface CallSocketFuzz {
  readonly seed: number;
  /** How long it goes on. */
  readonly ms: number;
}

/** Messages of one WebSocket. */
const messagesPerSocket = 12;

/**
 * Sends hostile messages to `/v1/responses`. Each must be answered once, with an error or a response, and the WebSocket must go on; no
 * call may stay open, and nothing may be a bug. Returns the number of messages.
 */
export async function fuzzCallSockets({ seed, ms }: CallSocketFuzz): Promise<number> {
  const provider = await FakeUpstream.start((request) => answering(request, { text: 'Hello' }));
  const weir = await startTestGateway({
    WEIR_ANTHROPIC_BASE_URL: provider.url,
    WEIR_OPENAI_BASE_URL: `${provider.url}/v1`,
    ANTHROPIC_API_KEY: 'sk-ant-tests',
    OPENAI_API_KEY: 'sk-tests',
  });
  const untilMs = performance.now() + ms;
  let round = 0;
  try {
    for (; performance.now() < untilMs; round++) {
      const messages = hostileMessages(new Random(seed, round));
      const endings = await sendMessages(weir.url, messages);
      assert.equal(endings.length, messages.length, `round ${round}: ${messages.join('\n')}`);
      assert.equal(endings.at(-1), 'response.completed', `round ${round}: the last message is valid`);
    }
    while (!/^weir_open_calls 0$/m.test((await call(weir.url, { path: '/metrics' })).text)) await nextTurn();
    assert.deepEqual(
      weir.logLines.filter((line) => line.includes('"level":"error"')),
      [],
    );
  } finally {
    await weir.close();
    await provider.close();
  }
  return round * messagesPerSocket;
}

/** Resolves to the types of the messages that end a response, when there is one for each message. */
async function sendMessages(url: string, messages: readonly (string | Buffer)[]): Promise<readonly string[]> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/responses`);
  const endings: string[] = [];
  const ended = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      const type = stringOf(parseObject(data.toString())?.type) ?? 'no JSON';
      if (endingTypes.has(type)) endings.push(type);
      if (endings.length === messages.length) resolve();
    });
    socket.on('close', () => resolve());
  });
  await once(socket, 'open');
  // One after the other: more than a few at once are rejected for that alone.
  for (const message of messages) {
    const before = endings.length;
    socket.send(message, { binary: typeof message !== 'string' });
    while (endings.length === before && socket.readyState === WebSocket.OPEN) await nextTurn();
  }
  await ended;
  socket.terminate();
  return endings;
}

const endingTypes: ReadonlySet<string> = new Set([
  'error',
  'no JSON',
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.steer.failed',
]);

const valid = { type: 'response.create', model: 'gpt-5-codex', store: false, input: 'Hello' };

const patterns: readonly object[] = [
  valid,
  { ...valid, model: 'claude-sonnet-4-5' },
  { ...valid, stream_id: 'a', previous_response_id: 'resp_1' },
  { ...valid, generate: false, input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }] },
  { ...valid, client_metadata: { 'x-codex-window-id': 't:1', ws_request_header_traceparent: '00-1-2-3' } },
  { type: 'response.steer', previous_response_id: 'resp_1', input: 'stop' },
];

function hostileMessages(random: Random): readonly (string | Buffer)[] {
  const messages = Array.from({ length: messagesPerSocket - 1 }, () => {
    const text = mutatedJson(random.pick(patterns), random, 1 + random.below(3));
    if (random.happens(0.1)) return text.slice(0, random.below(text.length));
    return random.happens(0.05) ? Buffer.from(text) : text;
  });
  return [...messages, JSON.stringify(valid)];
}
