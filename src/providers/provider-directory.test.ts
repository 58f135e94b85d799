import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anthropic } from './anthropic.ts';
import { ModelCatalog } from './catalog/model-catalog.ts';
import { builtInProviders } from './index.ts';
import { ollama } from './ollama.ts';
import { openai } from './openai.ts';
import { isKeyOfAnotherProvider, ProviderDirectory, providerKeyPattern } from './provider-directory.ts';

const modelCatalog = new ModelCatalog();

describe('the directory', () => {
  const providerDirectory = new ProviderDirectory(builtInProviders, modelCatalog);
  const found = (model: string) => {
    const { provider, model: name } = providerDirectory.resolve(model);
    return `${provider.name} ${name}`;
  };

  test('goes by the provider in front, then the catalogue, then how a name begins', () => {
    assert.equal(found('groq/llama-3.3-70b-versatile'), 'groq llama-3.3-70b-versatile');
    assert.equal(found('openrouter/anthropic/claude-sonnet-4.5'), 'openrouter anthropic/claude-sonnet-4.5');
    assert.equal(found('gpt-4o-mini'), 'openai gpt-4o-mini');
    assert.equal(found('claude-next-99'), 'anthropic claude-next-99');
    assert.equal(found('demo-1'), 'demo demo-1');
  });

  test("takes a name for a model's own where the provider's name is a part of it", () => {
    assert.equal(found('groq/compound-mini'), 'groq groq/compound-mini');
    assert.equal(found('groq/compound'), 'groq groq/compound');
    assert.equal(found('groq/groq/compound'), 'groq groq/compound');
    assert.equal(found('openrouter/auto'), 'openrouter openrouter/auto');
    assert.equal(found('openrouter/openrouter/auto'), 'openrouter openrouter/auto');
  });

  test('names a model without a provider', () => {
    assert.throws(() => providerDirectory.resolve('unknown-model'), /"unknown-model"/);
    assert.throws(() => providerDirectory.resolve('openai/'), /"openai\/"/);
  });
});

describe('the shape of a key', () => {
  test('tells whose it is', () => {
    assert.ok(isKeyOfAnotherProvider('sk-ant-api03-x', openai, builtInProviders));
    assert.ok(isKeyOfAnotherProvider('sk-proj-x', anthropic, builtInProviders));
    assert.ok(isKeyOfAnotherProvider('sk-x', anthropic, builtInProviders));
    assert.ok(isKeyOfAnotherProvider('gsk_x', ollama, builtInProviders));
    assert.ok(!isKeyOfAnotherProvider('sk-x', openai, builtInProviders));
    assert.ok(!isKeyOfAnotherProvider('sk-x', ollama, builtInProviders));
    assert.ok(!isKeyOfAnotherProvider('whatever', anthropic, builtInProviders));
  });

  test('is distinguished from other tokens', () => {
    const shape = providerKeyPattern(builtInProviders);
    for (const key of ['sk-ant-x', 'sk-x', 'gsk_x', 'xai-x', 'AIzaX', 'sk-or-x']) assert.match(key, shape);
    for (const token of ['anything', 'gw_live_x', 'my-sk-', 'anon_x']) assert.doesNotMatch(token, shape);
  });
});
