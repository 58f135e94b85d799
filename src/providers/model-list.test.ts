import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anthropic } from './anthropic.ts';
import { ModelCatalog } from './catalog/model-catalog.ts';
import { demo } from './demo/demo.ts';
import { fireworks } from './fireworks.ts';
import { gemini } from './gemini.ts';
import { groq } from './groq.ts';
import { builtInProviders } from './index.ts';
import { mistral } from './mistral.ts';
import { ModelList } from './model-list.ts';
import { ollama } from './ollama.ts';
import { openai } from './openai.ts';
import { openrouter } from './openrouter.ts';
import { ProviderDirectory } from './provider-directory.ts';

const modelCatalog = new ModelCatalog();
const providerDirectory = new ProviderDirectory(builtInProviders, modelCatalog);
const models = new ModelList(providerDirectory, modelCatalog);
const namesOf = async (provider: typeof openai) =>
  (await models.forProvider(provider)).map(({ name }) => name);

test('every name is there once and leads to its provider', async () => {
  const seen = new Set<string>();
  for (const provider of builtInProviders) {
    for (const { name, title } of await models.forProvider(provider)) {
      assert.equal(providerDirectory.find(name)?.provider, provider, name);
      assert.ok(!seen.has(name) && title !== '', name);
      seen.add(name);
    }
  }
  assert.ok(seen.size > 500, String(seen.size));
});

test('a name is bare where that is enough, else it has the provider in front', async () => {
  assert.ok((await namesOf(anthropic)).includes('claude-sonnet-4-5'));
  assert.ok((await namesOf(groq)).includes('llama-3.3-70b-versatile'));
  assert.ok((await namesOf(openrouter)).includes('openrouter/anthropic/claude-sonnet-4.5'));
  assert.deepEqual(await namesOf(demo), ['demo-1']);
});

test('a model has the name that its provider knows, not that of the price data', async () => {
  const names = await namesOf(fireworks);
  assert.ok(names.length > 0 && names.every((name) => name.startsWith('accounts/fireworks/')));
  assert.ok((await namesOf(mistral)).includes('codestral-latest'));
});

test('models of others and models for other work stay out', async () => {
  assert.ok((await namesOf(gemini)).every((name) => /^gem(?:ini|ma)-/.test(name)));
  const names = await namesOf(openai);
  for (const other of ['gpt-image-1', 'gpt-realtime', 'gpt-4o-mini-tts', 'ft:gpt-3.5-turbo-', 'davinci'])
    assert.ok(!names.includes(other), other);
  for (const chat of ['gpt-4o', 'gpt-5-mini', 'o3']) assert.ok(names.includes(chat), chat);
});

test('who has no catalogue has no list', async () => {
  assert.deepEqual(await models.forProvider(ollama), []);
});

test('a model is found by its name, by an alias and with the provider in front', () => {
  const found = (name: string) => {
    const model = models.find(name);
    return model === undefined ? undefined : `${model.provider.name} ${model.title}`;
  };
  assert.equal(found('claude-sonnet-4-5'), 'anthropic Claude Sonnet 4.5');
  assert.equal(found('claude-sonnet-4-5-20250929'), 'anthropic Claude Sonnet 4.5');
  assert.equal(found('anthropic/claude-sonnet-4-5'), 'anthropic Claude Sonnet 4.5');
  assert.equal(found('claude-of-tomorrow'), undefined);
  assert.equal(found('ollama/anything'), undefined);
  assert.equal(found('nobodys'), undefined);
});
