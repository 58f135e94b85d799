import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { objectsOf } from '../src/wire/json-values.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { bearer, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { gatewaysOnStores } from './support/gateways-on-stores.ts';
import { allowing, Definer, messages, startServer } from './support/own-providers.ts';

const usage = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 };
const answer = {
  ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'llama-4', usage },
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
};
const vectors = {
  ...{ object: 'list', model: 'vec-1', usage: { prompt_tokens: 1000, total_tokens: 1000 } },
  data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
};
const prices = {
  'llama-4': { prices: { input: 100, output: 200 } },
  'vec-1': { prices: { input: 50, output: 0 } },
};

async function startPriced(t: TestContext): Promise<FakeUpstream> {
  const server = await startServer(t, 'unused');
  server.answerWith(({ url }) => ({ body: url.endsWith('/embeddings') ? vectors : answer }));
  return server;
}

describe('prices of an account', () => {
  for (const [stores, start] of Object.entries(gatewaysOnStores))
    test(`count in its log, usage and ceilings, and nowhere else, with ${stores}`, async (t) => {
      const server = await startPriced(t);
      const [url, other] = await start(t, allowing([server]));
      const [ann, ben] = [await Definer.at(url), await Definer.at(url)];
      await ann.mustDefine('acme', { base_url: `${server.url}/v1`, prices });
      await ben.mustDefine('acme', { base_url: `${server.url}/v1` });
      const { id, key } = await ann.person.makeKey({ pipelineConfig: 'cost-guard?day=0.5' });
      const chat = { model: 'acme/llama-4', messages, max_tokens: 500 };
      const ask = (path: string, body: object, at = url) => call(at, { path, headers: bearer(key), body });
      const said = await ask('/v1/chat/completions', chat);
      assert.deepEqual([said.status, said.headers['x-weir-cost-usd']], [200, '0.2'], said.text);
      const vector = await ask('/v1/embeddings', { model: 'acme/vec-1', input: 'x' }, other);
      assert.deepEqual([vector.status, vector.headers['x-weir-cost-usd']], [200, '0.05'], vector.text);
      assert.equal((await ask('/v1/chat/completions', chat, other)).status, 200);
      // 0.45 of 0.5 is spent, and an answer may cost 0.1.
      const refused = await ask('/v1/chat/completions', chat);
      assert.deepEqual(
        [refused.status, at(refused.json, 'error', 'code')],
        [402, 'insufficient_quota'],
        refused.text,
      );

      const logged = await eventually(async () => {
        const { json } = await ann.person.call({ path: '/v1/requests' });
        const calls = objectsOf(json.requests);
        return calls.length === 4 ? calls : undefined;
      });
      // Sorted, because the clocks of replicas can be a millisecond apart.
      assert.deepEqual(logged.map((row) => [row.provider, row.cost_usd, row.cost_estimated]).sort(), [
        ['acme', '0', false],
        ['acme', '0.05', false],
        ['acme', '0.2', false],
        ['acme', '0.2', false],
      ]);
      const { json: budgets } = await ann.person.call({ path: '/v1/budgets' });
      const [budget] = objectsOf(budgets.budgets);
      assert.deepEqual([budget?.key_id, budget?.spent_usd], [id, '0.45']);
      await eventually(async () => {
        const { json } = await ann.person.call({ path: '/v1/usage' });
        return at(json, 'total', 'cost_usd') === '0.45' ? true : undefined;
      });
      const without = await ben.ask('acme/llama-4');
      assert.deepEqual([without.status, without.headers['x-weir-cost-usd']], [200, undefined]);
    });

  test('that change count from the next call on', async (t) => {
    const server = await startPriced(t);
    const { url, gateway } = await startCloud(t, allowing([server]));
    const ann = await Definer.at(url);
    const costs: unknown[] = [];
    for (const input of [100, 300]) {
      const changed = { '*': { prices: { input, output: 200 } } };
      await ann.mustDefine('acme', { base_url: `${server.url}/v1`, prices: changed });
      costs.push((await ann.ask('acme/llama-4')).headers['x-weir-cost-usd']);
    }
    assert.deepEqual(costs, ['0.2', '0.4']);
    assert.match(gateway.metrics(), /weir_cost_usd_total\{[^}]*provider="account"[^}]*\} 0\.6/);
  });
});

describe('the lists of models', () => {
  for (const [stores, start] of Object.entries(gatewaysOnStores))
    test(`of all APIs have the providers of the account alone, with ${stores}`, async (t) => {
      const server = await startPriced(t);
      const [url, other] = await start(t, allowing([server]));
      const [ann, ben] = [await Definer.at(url), await Definer.at(url)];
      await ann.mustDefine('acme', { base_url: `${server.url}/v1`, models: ['llama-4', 'qwen-*'] });
      await ben.mustDefine('acme', { base_url: `${server.url}/v1`, models: ['of-ben'] });
      const lists: readonly (readonly [string, readonly string[]])[] = [
        ['/v1/models', []],
        ['/v1/models', ['anthropic-version', '2023-06-01']],
        ['/v1beta/models', []],
      ];
      const get = (path: string, { key }: Definer, headers: readonly string[]) =>
        call(other, { path, headers: [...bearer(key), ...headers] });
      for (const [path, headers] of lists) {
        const [own, foreign] = [await get(path, ann, headers), await get(path, ben, headers)];
        assert.deepEqual([own.status, foreign.status], [200, 200]);
        assert.match(own.text, /acme\/llama-4/);
        assert.doesNotMatch(own.text, /of-ben/);
        assert.match(foreign.text, /acme\/of-ben/);
        assert.doesNotMatch(foreign.text, /llama-4/);
        const one = await get(`${path}/acme/llama-4`, ann, headers);
        assert.deepEqual([one.status, one.text.includes('acme/llama-4')], [200, true], one.text);
        assert.equal((await get(`${path}/acme/llama-4`, ben, headers)).status, 404);
      }
      const { id, key } = await ann.person.makeKey();
      await ann.person.call({
        method: 'PUT',
        path: `/v1/keys/${id}/access`,
        body: { models: ['acme/qwen-*'] },
      });
      const limited = await call(other, { path: '/v1/models', headers: bearer(key) });
      assert.doesNotMatch(limited.text, /llama-4/);
      await ann.person.call({ method: 'DELETE', path: '/v1/providers/acme' });
      for (const [path, headers] of lists) assert.doesNotMatch((await get(path, ann, headers)).text, /acme/);
    });
});
