import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openProviderEgress } from '../../test/support/provider-egress.ts';
import { ClientPresence } from '../kernel/client-presence.ts';
import { ClientRequest } from '../kernel/client-request.ts';
import { Exchange } from '../kernel/exchange.ts';
import { LazyJsonObject } from '../kernel/json/lazy-json-object.ts';
import { Trace } from '../kernel/trace.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import { systemClock } from '../lib/clock.ts';
import { GoogleAccessTokens } from '../providers/google-access-tokens.ts';
import { openaiCompatible } from '../providers/openai-compatible.ts';
import { createUpstream } from '../providers/upstream.ts';
import { FakeUpstream } from '../testing/fake-upstream.ts';
import { anthropicMessages, openaiChat, wireFormats } from '../wire/index.ts';
import { createDataPlaneRouter, createDataPlaneRoutes } from './data-plane.ts';

/** A format that names the model, and whether its answer is a stream, in the path: as Gemini's own does. */
const modelInPath: WireFormat = {
  ...openaiChat,
  name: 'model-in-path',
  routes: [{ path: '/v9/models/*', summary: 'Model in the path', purpose: 'answer' }],
  readRouting(_body, path) {
    const [, model, verb] = /^\/v9\/models\/([^:]+):(\w+)$/.exec(path) ?? [];
    return { model, stream: verb === 'streamGenerateContent' };
  },
  modelFields: () => ({}),
  requestPath: (model, streamed, query) =>
    `/models/${model}:${streamed ? 'streamGenerateContent' : 'generateContent'}${query}`,
};

const noHandler = { handle: async () => undefined };

test('a path belongs to its format, with or without a slash at its end', () => {
  const answer = { ...noHandler };
  const count = { ...noHandler };
  const find = createDataPlaneRouter(
    createDataPlaneRoutes(wireFormats, { answer, count, relay: () => noHandler }),
  );
  assert.equal(find('/v1/messages', 'POST')?.handler, answer);
  assert.equal(find('/v1/messages/', 'POST')?.wire, anthropicMessages);
  assert.equal(find('/v1/messages/count_tokens', 'POST')?.handler, count);
  for (const path of ['/', '/v1', '/v1/messages/more', '/v1/models'])
    assert.equal(find(path, 'POST'), undefined);
});

test('a format may read the rest of its path by itself', async (t) => {
  const formats = [...wireFormats, modelInPath];
  const find = createDataPlaneRouter(
    createDataPlaneRoutes(formats, { answer: noHandler, count: noHandler, relay: () => noHandler }),
  );
  const fake = await FakeUpstream.start({ body: { choices: [] } });
  const provider = {
    ...openaiCompatible({ name: 'p', title: 'P', baseUrl: fake.url }),
    wires: [modelInPath],
  };
  const { egress, close } = openProviderEgress([fake.url]);
  t.after(async () => {
    await close();
    await fake.close();
  });
  const upstream = createUpstream({
    egress,
    signing: new GoogleAccessTokens({ egress, clock: systemClock, tokenUrl: fake.url }),
    via: '1.1 test',
  });
  for (const [verb, streamed] of [
    ['generateContent', false],
    ['streamGenerateContent', true],
  ] as const) {
    const path = `/v9/models/asked-for:${verb}`;
    const wire = find(path, 'POST')?.wire;
    assert.equal(wire, modelInPath);
    const bytes = Buffer.from('{ "contents":[] }');
    const clientRequest = new ClientRequest({
      wire: modelInPath,
      fields: LazyJsonObject.of(bytes),
      headers: [],
      query: '?alt=sse',
      path,
    });
    assert.deepEqual([clientRequest.routing.model, clientRequest.streamed], ['asked-for', streamed]);
    const reply = await upstream(
      new Exchange({
        id: 'req_test',
        clientRequest,
        caller: { kind: 'local' },
        target: { provider, model: 'other' },
        presence: new ClientPresence(),
        trace: new Trace(0),
        credentials: { find: async () => undefined },
      }),
      {
        spanId: '1',
        sentAtMs: undefined,
        connectedAtMs: undefined,
        headAtMs: undefined,
        providerRequestId: undefined,
      },
    );
    await reply.discard();
    assert.equal(fake.last.url, `/models/other:${verb}?alt=sse`);
    assert.deepEqual(fake.last.bytes, bytes);
  }
});
