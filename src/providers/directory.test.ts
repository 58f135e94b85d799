import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anthropic } from './anthropic.ts';
import { Catalog } from './catalog/catalog.ts';
import { belongsElsewhere, Directory, keyShape } from './directory.ts';
import { builtInProviders } from './index.ts';
import { ollama } from './ollama.ts';
import { openai } from './openai.ts';

const catalog = new Catalog();

describe('the directory', () => {
  const directory = new Directory(builtInProviders, catalog);
  const found = (model: string) => {
    const { provider, model: name } = directory.resolve(model);
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

  test('names the model it has nobody for', () => {
    assert.throws(() => directory.resolve('nobody-knows'), /"nobody-knows"/);
    assert.throws(() => directory.resolve('openai/'), /"openai\/"/);
  });
});

describe('the shape of a key', () => {
  test('tells whose it is', () => {
    assert.ok(belongsElsewhere('sk-ant-api03-x', openai, builtInProviders));
    assert.ok(belongsElsewhere('sk-proj-x', anthropic, builtInProviders));
    assert.ok(belongsElsewhere('sk-x', anthropic, builtInProviders));
    assert.ok(belongsElsewhere('gsk_x', ollama, builtInProviders));
    assert.ok(!belongsElsewhere('sk-x', openai, builtInProviders));
    assert.ok(!belongsElsewhere('sk-x', ollama, builtInProviders));
    assert.ok(!belongsElsewhere('whatever', anthropic, builtInProviders));
  });

  test('is told from other tokens', () => {
    const shape = keyShape(builtInProviders);
    for (const key of ['sk-ant-x', 'sk-x', 'gsk_x', 'xai-x', 'AIzaX', 'sk-or-x']) assert.match(key, shape);
    for (const token of ['anything', 'gw_live_x', 'my-sk-', 'anon_x']) assert.doesNotMatch(token, shape);
  });
});
