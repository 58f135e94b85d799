import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyAccess } from './access-rules.ts';
import { type Provider, type Target, unresolvedTarget } from './provider.ts';

const provider: Provider = {
  name: 'shop',
  title: 'Shop',
  baseUrl: '',
  wires: [],
  keyPrefixes: [],
  keyless: false,
  modelPrefixes: [],
  authorize: () => [],
};
const at = (name: string, model: string, more: Partial<Provider> = {}): Target => ({
  provider: { ...provider, name, ...more },
  model,
});

function allows(models: readonly string[], target: Target): boolean {
  return new KeyAccess({ models }).allowsModel(target);
}

test('a pattern without a slash is for the own name of a model, one with a slash for provider and model', () => {
  assert.ok(allows(['gpt-5'], at('openai', 'gpt-5')));
  assert.ok(allows(['gpt-5'], at('azure', 'gpt-5')));
  assert.ok(allows(['openai/*'], at('openai', 'gpt-5')));
  assert.ok(!allows(['openai/*'], at('openrouter', 'openai/gpt-5')), 'a maker is no provider');
  assert.ok(allows(['openrouter/openai/*'], at('openrouter', 'openai/gpt-5')));
  assert.ok(!allows(['gpt-*'], at('openrouter', 'openai/gpt-5')));
  assert.ok(!allows(['gpt-5'], at('openai', 'gpt-5-2026-01-01')));
  assert.ok(!allows(['gpt-5'], at('openai', 'GPT-5')));
  assert.ok(!allows([], at('openai', 'gpt-5')));
  const router = { ownNames: /^openrouter\/[^/]+$/ };
  assert.ok(allows(['openrouter/auto'], at('openrouter', 'openrouter/auto', router)));
});

test('the model behind a deployment counts, not the name that a customer gave it', () => {
  const deployments = new Map([['gpt-5-mini', 'gpt-5']]);
  const deployed = at('azure', 'gpt-5-mini', { deployments });
  assert.ok(!allows(['gpt-5-mini'], deployed));
  assert.ok(allows(['gpt-5'], deployed));
  assert.ok(allows(['azure/gpt-5-mini'], deployed));
});

test('a name that no provider knows counts as it is', () => {
  assert.ok(allows(['auto'], unresolvedTarget('auto')));
  assert.ok(allows(['a/*'], unresolvedTarget('a/b')));
  assert.ok(!allows(['auto'], unresolvedTarget('auto2')));
});

test('keys with the same models and providers have the same digest, and others another', () => {
  const digest = (rules: object) => new KeyAccess(rules).modelsDigest;
  assert.equal(digest({ endUser: 'ada', addresses: ['::1'] }), '');
  assert.equal(digest({ models: ['a'], endUser: 'ada' }), digest({ models: ['a'] }));
  const digests = [
    { models: ['a'] },
    { models: ['b'] },
    { providers: ['a'] },
    { models: [] },
    { models: ['a'], providers: ['a'] },
  ];
  assert.equal(new Set(digests.map(digest)).size, digests.length);
});

test('what can not be read as a network allows no address', () => {
  assert.ok(!new KeyAccess({ addresses: ['10.0.0.1', 'of a newer version'] }).allowsAddress('10.0.0.1'));
});

test('a pipeline is allowed as it is read, whatever its blanks', () => {
  const access = new KeyAccess({ pipelines: ['exact-cache?ttl=1h, router', ''] });
  for (const list of ['exact-cache?ttl=1h,router', ' exact-cache ?ttl=1h,\trouter', '', 'none', ' '])
    assert.ok(access.allowsPipeline(list), list);
  for (const list of ['exact-cache', 'router,exact-cache?ttl=1h', 'exact-cache?ttl=1h,router,none'])
    assert.ok(!access.allowsPipeline(list), list);
});
