import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openProviderEgress } from '../../test/support/provider-egress.ts';
import { TextEmbeddings } from '../embeddings/text-embeddings.ts';
import { systemClock } from '../lib/clock.ts';
import { Secret } from '../lib/secret.ts';
import { FakeUpstream, type Script } from '../testing/fake-upstream.ts';
import { GoogleAccessTokens } from './google-access-tokens.ts';
import { openai } from './openai.ts';
import { ProviderEmbeddings } from './provider-embeddings.ts';

const models = {
  infer: async () => ({ why: 'missing' as const }),
  unavailableReason: () => 'missing' as const,
  close: async () => undefined,
};

test('vectors of a provider', async (t) => {
  let answer: Script = { body: {} };
  const upstream = await FakeUpstream.start(() => answer);
  const provider = { ...openai, baseUrl: `${upstream.url}/v1` };
  const { egress, close } = openProviderEgress([provider.baseUrl]);
  t.after(async () => {
    await close();
    await upstream.close();
  });
  const troubles: string[] = [];
  const embeddings = new TextEmbeddings({
    source: 'openai/small',
    models,
    provider: new ProviderEmbeddings({
      egress,
      signing: new GoogleAccessTokens({ egress, clock: systemClock, tokenUrl: provider.baseUrl }),
      provider,
      model: 'small',
      credential: new Secret('sk-operator'),
      onFailure: (how) => void troubles.push(how),
    }),
  });
  const says = (...vectors: readonly (readonly number[])[]) => ({
    body: { data: vectors.map((embedding, index) => ({ index, embedding })).reverse() },
  });

  await t.test('are asked for with the key of the operator, and come in the order of the texts', async () => {
    answer = says([3, 4], [0, 2]);
    const { vectors } = await embeddings.many(['one', 'other', 'one'], { deadlineMs: 5000 });
    assert.deepEqual(
      vectors?.map(({ space, values }) => [space, [...values].map((value) => Number(value.toFixed(3)))]),
      [
        ['openai/small/2', [0.6, 0.8]],
        ['openai/small/2', [0, 1]],
        ['openai/small/2', [0.6, 0.8]],
      ],
    );
    const [request] = upstream.requests;
    assert.deepEqual(request?.json, { model: 'small', input: ['one', 'other'], encoding_format: 'float' });
    assert.equal(request.url, '/v1/embeddings');
    assert.equal(request.headers.authorization, 'Bearer sk-operator');
  });

  await t.test('are remembered', async () => {
    assert.equal((await embeddings.one('one')).why, undefined);
    assert.equal(upstream.requests.length, 1);
  });

  await t.test('may be refused, wrong or late: then there are none, and the log says it once', async () => {
    const why = async (script: Script, deadlineMs = 5000) => {
      answer = script;
      return (await embeddings.one(`${Math.random()}`, { deadlineMs })).why;
    };
    assert.equal(await why({ status: 429, body: {} }), 'busy');
    assert.equal(await why({ ending: 'hang', chunks: [] }, 30), 'late');
    assert.deepEqual(troubles, []);
    assert.equal(await why({ status: 401, body: { error: 'no such key' } }), 'down');
    assert.equal(await why(says([1], [2])), 'down');
    assert.equal(await why(says([0, 0])), 'down');
    assert.equal(await why({ body: 'no json' }), 'down');
    assert.equal(troubles.length, 1);
    assert.match(troubles[0] ?? '', /401: .*no such key/);
    assert.equal(embeddings.state().why, 'down');
    assert.equal(await why(says([1, 0])), undefined);
    assert.deepEqual(embeddings.state(), { source: 'openai/small', why: undefined, whyNotLocal: 'missing' });
  });

  await t.test('are not computed in a call whose content is kept from providers', async () => {
    const before = upstream.requests.length;
    assert.deepEqual(await embeddings.one('one', { isRedacted: true }), { why: 'redacted' });
    assert.deepEqual(await embeddings.one('text', { use: 'tools', isRedacted: true }), { why: 'missing' });
    assert.equal(upstream.requests.length, before);
  });

  await t.test('do not replace what runs here', async () => {
    assert.deepEqual(await embeddings.one('text', { use: 'judging' }), { why: 'missing' });
    assert.deepEqual(await embeddings.one('text', { use: 'tools' }), { why: 'missing' });
    assert.deepEqual(await embeddings.one('word '.repeat(100), { tokensMax: 62 }), { why: 'long' });
  });
});
