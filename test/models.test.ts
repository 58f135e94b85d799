import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { requestJson } from './support/http-client.ts';
import { startGatewayFor } from './support/scripted-gateway.ts';

const fake = await FakeUpstream.start();
const providers = ['ANTHROPIC', 'OPENAI', 'GEMINI', 'MISTRAL', 'DEEPSEEK', 'XAI', 'GROQ', 'CEREBRAS'];
providers.push('TOGETHER', 'FIREWORKS', 'OPENROUTER', 'OLLAMA');
/** A gateway with a key for everybody, each at an address that has its name in it. */
const weir = await startTestGateway(
  Object.fromEntries(
    providers.flatMap((name) => [
      [`WEIR_${name}_BASE_URL`, `${fake.url}/${name.toLowerCase()}`],
      [`${name}_API_KEY`, `operator-${name}`],
    ]),
  ),
);
/** One without any. */
const bare = await startTestGateway();
after(async () => {
  await weir.close();
  await bare.close();
  await fake.close();
});
beforeEach(() => {
  fake.requests.length = 0;
});

const anthropicVersion = { 'anthropic-version': '2023-06-01' };

/** The ids that a caller with these headers gets. */
async function idsFor(headers: Readonly<Record<string, string>>, url = bare.url): Promise<readonly string[]> {
  const { status, json } = await requestJson(`${url}/v1/models`, { headers });
  assert.equal(status, 200);
  const data = at(json, 'data');
  assert.ok(Array.isArray(data));
  return data.map((model) => String(at(model, 'id')));
}

describe("Anthropic's client", () => {
  const client = new Anthropic({ baseURL: weir.url, apiKey: 'any', maxRetries: 0 });

  test('reads the list page by page, to its end', async () => {
    const first = await client.models.list({ limit: 50 });
    assert.equal(first.data.length, 50);
    assert.equal(first.has_more, true);
    assert.deepEqual([first.first_id, first.last_id], [first.data[0]?.id, first.data[49]?.id]);
    const all: string[] = [];
    for await (const model of client.models.list({ limit: 50 })) all.push(model.id);
    assert.deepEqual(all, await idsFor({}, weir.url));
    assert.equal(fake.requests.length, 0);
  });

  test('reads backwards too', async () => {
    const [, second, third] = (await client.models.list({ limit: 3 })).data;
    const before = await client.models.list({ limit: 1, before_id: String(third?.id) });
    assert.deepEqual([before.data.map(({ id }) => id), before.has_more], [[second?.id], true]);
  });

  test('gets twenty where it does not say', async () => {
    assert.equal((await client.models.list()).data.length, 20);
  });

  test('gets one model, in all its fields', async () => {
    assert.deepEqual(await client.models.retrieve('claude-sonnet-4-5'), {
      type: 'model',
      id: 'claude-sonnet-4-5',
      display_name: 'Claude Sonnet 4.5',
      created_at: '1970-01-01T00:00:00Z',
    });
  });

  test('is refused in its own words', async () => {
    await assert.rejects(client.models.retrieve('claude-of-tomorrow'), (error) => {
      assert.ok(error instanceof Anthropic.NotFoundError);
      assert.equal(at(error.error, 'error', 'type'), 'not_found_error');
      assert.match(error.message, /claude-of-tomorrow.*GET \/v1\/models/);
      return true;
    });
    for (const query of ['limit=0', 'limit=1001', 'limit=x', 'after_id=nobodys', 'before_id=nobodys']) {
      const { status, json } = await requestJson(`${weir.url}/v1/models?${query}`, {
        headers: anthropicVersion,
      });
      assert.deepEqual([status, at(json, 'error', 'type')], [400, 'invalid_request_error'], query);
      assert.equal(at(json, 'error', 'param'), query.split('=')[0]);
    }
    const both = await requestJson(`${weir.url}/v1/models?after_id=demo-1&before_id=demo-1`, {
      headers: anthropicVersion,
    });
    assert.equal(both.status, 400);
  });
});

describe("OpenAI's client", () => {
  const client = new OpenAI({ baseURL: `${weir.url}/v1`, apiKey: 'any', maxRetries: 0 });

  test('reads the list', async () => {
    const models = await client.models.list();
    assert.equal(models.object, 'list');
    assert.deepEqual(
      models.data.find(({ id }) => id === 'gpt-4o'),
      { id: 'gpt-4o', object: 'model', created: 0, owned_by: 'openai' },
    );
    assert.equal(fake.requests.length, 0);
  });

  test('gets one model, whose name may have slashes', async () => {
    for (const id of ['gpt-4o', 'openrouter/anthropic/claude-sonnet-4.5', 'openai/gpt-4o'])
      assert.equal((await client.models.retrieve(id)).id, id);
    const { json } = await requestJson(`${weir.url}/v1/models/openrouter/anthropic/claude-sonnet-4.5`);
    assert.equal(at(json, 'id'), 'openrouter/anthropic/claude-sonnet-4.5');
  });

  test('is refused in its own words', async () => {
    await assert.rejects(client.models.retrieve('gpt-of-tomorrow'), (error) => {
      assert.ok(error instanceof OpenAI.NotFoundError);
      assert.equal(error.code, 'model_not_found');
      return true;
    });
  });
});

test('every id in the list goes to its owner when it is called', async () => {
  const { json } = await requestJson(`${weir.url}/v1/models`);
  const data = at(json, 'data');
  assert.ok(Array.isArray(data) && data.length > 500);
  const messages = [{ role: 'user', content: 'Hello' }];
  for (const model of data) {
    const [id, owner] = [String(at(model, 'id')), String(at(model, 'owned_by'))];
    fake.requests.length = 0;
    fake.answerWith({ status: 418, body: {} });
    const answer = await requestJson(`${weir.url}/v1/chat/completions`, { body: { model: id, messages } });
    if (owner === 'demo') {
      assert.equal(answer.status, 200, id);
      continue;
    }
    assert.ok(fake.last.url.startsWith(`/${owner}/`), `${id}: ${fake.last.url}`);
    const asked = fake.last.json.model ?? /\/models\/(.*):/.exec(fake.last.url)?.[1];
    assert.ok(id === asked || id === `${owner}/${asked}`, id);
  }
});

describe('what is listed depends on the caller', () => {
  const ownersOf = async (headers: Readonly<Record<string, string>>) => {
    const { json } = await requestJson(`${bare.url}/v1/models`, { headers });
    const data = at(json, 'data');
    assert.ok(Array.isArray(data));
    return [...new Set(data.map((model) => String(at(model, 'owned_by'))))];
  };

  test('without any key there is the demonstration model', async () => {
    assert.deepEqual(await idsFor({}), ['demo-1']);
    assert.deepEqual(await idsFor({ authorization: 'Bearer anything' }), ['demo-1']);
  });

  test('a key on the request opens the list of its provider', async () => {
    assert.deepEqual(await ownersOf({ 'x-api-key': 'sk-ant-api03-mine' }), ['anthropic', 'demo']);
    assert.deepEqual(await ownersOf({ authorization: 'Bearer sk-proj-mine' }), ['openai', 'demo']);
    assert.deepEqual(await ownersOf({ 'x-provider-key': 'mistral=mine' }), ['mistral', 'demo']);
  });

  test('a key on the request closes the lists that it does not fit', async () => {
    const { json } = await requestJson(`${weir.url}/v1/models`, {
      headers: { authorization: 'Bearer gsk_mine' },
    });
    const data = at(json, 'data');
    assert.ok(Array.isArray(data));
    assert.ok(data.every((model) => ['groq', 'demo'].includes(String(at(model, 'owned_by')))));
  });

  test('a model without a key for it is not there', async () => {
    assert.equal((await requestJson(`${bare.url}/v1/models/gpt-4o`)).status, 404);
    const { status } = await requestJson(`${bare.url}/v1/models/gpt-4o`, {
      headers: { authorization: 'Bearer sk-proj-mine' },
    });
    assert.equal(status, 200);
  });
});

test('the gateway asks for its token here too, in the words of the caller', async (t) => {
  const closed = await startGatewayFor(t, fake.url, { WEIR_LOCAL_TOKEN: 'the-token' });
  for (const path of ['/v1/models', '/v1/models/demo-1']) {
    for (const headers of [{}, anthropicVersion]) {
      const { status, json } = await requestJson(closed.url + path, { headers });
      assert.deepEqual([status, at(json, 'error', 'code')], [401, 'authentication_required']);
    }
    const { status } = await requestJson(closed.url + path, {
      headers: { authorization: 'Bearer the-token' },
    });
    assert.equal(status, 200);
  }
});

test('odd names are not found, and nothing breaks', async () => {
  for (const name of ['%E0%A4%A', 'x'.repeat(5000), '..%2f..', '%20'])
    assert.equal((await requestJson(`${weir.url}/v1/models/${name}`)).status, 404, name.slice(0, 20));
  assert.equal((await requestJson(`${weir.url}/v1/models`, { method: 'POST', body: {} })).status, 405);
});

test('both are described', async () => {
  const { json } = await requestJson(`${weir.url}/openapi.json`);
  const parameters = at(json, 'paths', '/v1/models', 'get', 'parameters');
  assert.ok(Array.isArray(parameters));
  assert.deepEqual(
    parameters.map((parameter) => at(parameter, 'name')),
    ['limit', 'after_id', 'before_id'],
  );
  assert.equal(at(json, 'paths', '/v1/models/{id}', 'get', 'parameters', 0, 'name'), 'id');
});
