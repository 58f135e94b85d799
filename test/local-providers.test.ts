import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { assertError } from './support/assert-error.ts';
import { at } from './support/at.ts';
import { call, type RawAnswer } from './support/call.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';
import { saysCompletion } from './support/recorded-completions.ts';

const names = ['ollama', 'vllm'] as const;
const messages = [{ role: 'user', content: 'hi' }];

describe('a cloud gateway without an address for its local providers', () => {
  test('connects to no port of its own machine for them, and says which setting enables them', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url);
    const { key } = await ada.makeKey();
    const headers = bearer(key);
    for (const name of names) {
      const model = `${name}/x`;
      const body = { model, messages, max_tokens: 10 };
      const answers = [
        await call(url, { path: '/v1/chat/completions', headers, body }),
        await call(url, { path: '/v1/messages', headers, body }),
        await call(url, { path: '/v1/messages', headers: [...headers, 'x-provider-key', 'a-key'], body }),
        await call(url, { path: '/v1/messages/count_tokens', headers, body }),
        await call(url, { path: `/v1/responses`, headers, body: { model, input: 'hi' } }),
      ];
      for (const answer of answers) {
        assert.equal(answer.status, 404, answer.text);
        assert.match(answer.text, new RegExp(`WEIR_${name.toUpperCase()}_BASE_URL`));
      }
      assert.equal((await call(url, { path: `/v1/models/${model}`, headers })).status, 404);
    }
  });

  test('lists them nowhere', async (t) => {
    const { url } = await startCloud(t);
    const { providers } = (await call(url, { path: '/v1/capabilities' })).json;
    assert.ok(Array.isArray(providers) && providers.length > 10);
    const listed = providers.map((provider) => at(provider, 'name'));
    const health = Object.keys(Object(at((await call(url, { path: '/health' })).json, 'providers')));
    for (const name of names) assert.ok(!listed.includes(name) && !health.includes(name), name);
    assert.ok(listed.includes('openai') && health.includes('openai') && health.includes('demo'));
  });

  test('stores and tests no key for them, and forgets one', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url);
    for (const name of names) {
      const path = `/v1/byok/${name}`;
      for (const refused of [
        await ada.call({ method: 'PUT', path, body: { key: 'a-key' } }),
        await ada.call({ method: 'POST', path: `${path}/test`, body: {} }),
      ]) {
        assertError(refused, { status: 404, type: 'not_found' });
        assert.match(refused.text, new RegExp(`WEIR_${name.toUpperCase()}_BASE_URL`));
      }
      assert.equal((await ada.call({ method: 'DELETE', path })).status, 204);
    }
  });

  test('does not start with a setting that needs one of them', async (t) => {
    for (const setting of [{ WEIR_SANDBOX_MODEL: 'ollama/x' }, { WEIR_EMBEDDINGS: 'ollama/x' }])
      await assert.rejects(startCloud(t, setting), /WEIR_OLLAMA_BASE_URL/);
  });
});

test('a local provider with an address serves accounts of a cloud gateway', async (t) => {
  const fake = await FakeUpstream.start();
  t.after(() => fake.close());
  const { url } = await startCloud(t, { WEIR_OLLAMA_BASE_URL: `${fake.url}/v1` });
  const ada = await Person.signUp(url);
  const headers = bearer((await ada.makeKey()).key);
  fake.answerWith(saysCompletion({ text: 'hello', finish: 'stop' }));
  const asked = (model: string): Promise<RawAnswer> =>
    call(url, { path: '/v1/chat/completions', headers, body: { model, messages } });
  assert.equal((await asked('ollama/x')).status, 200);
  assert.equal((await asked('vllm/x')).status, 404);
  assert.equal(fake.requests.length, 1);
  const health = at((await call(url, { path: '/health' })).json, 'providers');
  assert.deepEqual([at(health, 'ollama'), at(health, 'vllm')], [true, undefined]);
});
