import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { GoogleGenAI, type LiveServerMessage, Modality, type Session } from '@google/genai';
import { WebSocket } from 'ws';
import type { JsonObject } from '../src/lib/json.ts';
import { objectOf, objectsOf, parseObject } from '../src/wire/json-values.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { eventually } from './support/eventually.ts';
import { RealtimeProvider } from './support/realtime-provider.ts';
import { geminiKey, shareScriptedGateways, startScriptedGateway } from './support/scripted-gateway.ts';

const openGateway = shareScriptedGateways();
const model = 'gemini-live-2.5-flash';

function json(message: object): Buffer {
  return Buffer.from(JSON.stringify(message));
}

/** A turn as Google sends it: JSON in binary messages. */
function turn(usage: JsonObject): readonly Buffer[] {
  const data = Buffer.alloc(480).toString('base64');
  const part = { inlineData: { mimeType: 'audio/pcm;rate=24000', data } };
  return [
    json({ serverContent: { modelTurn: { role: 'model', parts: [part] } } }),
    json({ serverContent: { generationComplete: true } }),
    json({ serverContent: { turnComplete: true }, usageMetadata: usage }),
  ];
}

const usage = {
  ...{ promptTokenCount: 300, responseTokenCount: 100, totalTokenCount: 400 },
  promptTokensDetails: [
    { modality: 'TEXT', tokenCount: 100 },
    { modality: 'AUDIO', tokenCount: 200 },
  ],
  responseTokensDetails: [{ modality: 'AUDIO', tokenCount: 100 }],
};

class LiveClient {
  readonly messages: LiveServerMessage[] = [];
  closed: { readonly code: number; readonly reason: string } | undefined;
  session: Session | undefined;

  static async open(t: TestContext, url: string, named = model, apiVersion = 'v1beta'): Promise<LiveClient> {
    const client = new LiveClient();
    const ai = new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: url, apiVersion } });
    client.session = await ai.live.connect({
      model: named,
      config: { responseModalities: [Modality.AUDIO], maxOutputTokens: 500 },
      callbacks: {
        onmessage: (message) => void client.messages.push(message),
        onclose: ({ code, reason }) => {
          client.closed = { code, reason };
        },
      },
    });
    t.after(() => client.session?.close());
    return client;
  }

  ending() {
    return eventually(() => this.closed);
  }
}

function liveProvider(answer: (event: JsonObject) => readonly Buffer[]) {
  return (provider: RealtimeProvider) =>
    provider.script(
      () => undefined,
      (event, one) => {
        const messages = event.setup === undefined ? answer(event) : [json({ setupComplete: {} })];
        for (const message of messages) one.send(message);
      },
    );
}

test('Google’s client talks through the gateway, and each turn is a call with its cost', async (t) => {
  const { fake, weir } = await openGateway();
  const provider = RealtimeProvider.at(fake);
  liveProvider((event) => (event.clientContent === undefined ? [] : turn(usage)))(provider);
  const client = await LiveClient.open(t, weir.url, 'gemini/gemini-live-2.5-flash', 'v1alpha');
  for (const count of [1, 2]) {
    client.session?.sendRealtimeInput({
      audio: { data: Buffer.alloc(3200).toString('base64'), mimeType: 'audio/pcm;rate=16000' },
    });
    client.session?.sendClientContent({ turns: 'hello', turnComplete: true });
    await eventually(() => {
      const ended = client.messages.filter(({ serverContent }) => serverContent?.turnComplete === true);
      return ended.length === count ? true : undefined;
    });
  }
  const { url, headers } = provider.last.request;
  assert.equal(url, '/ws/google.ai.generativelanguage.v1alpha.GenerativeService.BidiGenerateContent');
  assert.equal(headers['x-goog-api-key'], geminiKey);
  const setup = parseObject(provider.last.received[0]?.data.toString() ?? '');
  assert.equal(at(setup, 'setup', 'model'), 'models/gemini-live-2.5-flash');
  const calls = await eventually(async () => {
    const { json: page } = await call(weir.url, { path: '/v1/requests?limit=5' });
    const all = objectsOf(page.requests).filter((one) => one.wire_format === 'live');
    return all.length >= 2 ? all : undefined;
  });
  assert.equal(calls.length, 2);
  assert.deepEqual(
    calls.map((one) => [one.input_tokens, one.output_tokens, one.cost_estimated, one.model_used]),
    [0, 1].map(() => [300, 100, false, 'gemini-live-2.5-flash']),
  );
  assert.ok(calls.every((one) => Number(one.cost_usd) > 0));
});

test('a setup that names the provider’s own name of the model passes byte for byte', async (t) => {
  const { fake, weir } = await openGateway();
  const provider = RealtimeProvider.at(fake);
  liveProvider(() => [])(provider);
  const path = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent?key=any';
  const socket = new WebSocket(`${weir.url.replace('http', 'ws')}${path}`, []);
  t.after(() => socket.terminate());
  const setup = ` {"setup": {"model":"models/${model}" , "x": 1.00000000000000000001}}`;
  socket.on('open', () => socket.send(setup, {}));
  await eventually(() => provider.sessions[0]?.received[0]);
  assert.equal(provider.last.received[0]?.data.toString(), setup);
});

test('a session that may not begin is closed with a code and the reason', async (t) => {
  const { weir } = await openGateway();
  const cases = [
    ['{"clientContent":{}}', 1007],
    ['no JSON', 1007],
    ['{"setup":{"model":"models/nobody-has-this"}}', 1008],
    ['{"setup":{"model":"models/gpt-realtime"}}', 1008],
  ] as const;
  for (const [first, expected] of cases) {
    const path = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent?key=any';
    const socket = new WebSocket(`${weir.url.replace('http', 'ws')}${path}`, []);
    t.after(() => socket.terminate());
    const closed = new Promise((resolve) =>
      socket.on('close', (code, reason) => resolve([code, reason.length > 0])),
    );
    socket.on('open', () => socket.send(first, {}));
    assert.deepEqual(await closed, [expected, true], first);
  }
});

test('a session ends at its ceiling, announced, and has cost no more', async (t) => {
  const { fake, weir } = await startScriptedGateway(t, { WEIR_PIPELINE: 'cost-guard?day=0.05' });
  const provider = RealtimeProvider.at(fake);
  const dear = { ...usage, promptTokenCount: 3000, totalTokenCount: 3100 };
  liveProvider((event) => (event.clientContent === undefined ? [] : turn(dear)))(provider);
  const client = await LiveClient.open(t, weir.url);
  for (let count = 1; client.closed === undefined && count < 50; count++) {
    client.session?.sendClientContent({ turns: 'hello', turnComplete: true });
    const ended = () => client.messages.filter((one) => one.serverContent?.turnComplete === true).length;
    await eventually(() => (ended() >= count || client.closed !== undefined ? true : undefined));
  }
  const { code, reason } = await client.ending();
  assert.equal(code, 1008);
  assert.match(reason, /could cost/);
  assert.ok(client.messages.at(-1)?.goAway !== undefined);
  const { json: page } = await call(weir.url, { path: '/v1/budgets' });
  const budget = objectOf(objectsOf(page.budgets)[0]) ?? {};
  assert.ok(Number(budget.spent_usd) > 0 && Number(budget.spent_usd) <= 0.05, JSON.stringify(budget));
  assert.equal(Number(budget.held_usd), 0);
});
