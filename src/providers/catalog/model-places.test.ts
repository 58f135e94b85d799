import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { configuredProviders } from '../configured-providers.ts';
import { ProviderDirectory } from '../provider-directory.ts';
import { abilitiesOf } from './abilities/index.ts';
import { ModelCatalog } from './model-catalog.ts';
import { ModelPlaces } from './model-places.ts';

const none = new Map<string, never>();
const providers = configuredProviders({
  baseUrls: none,
  streamUsage: none,
  resources: none,
  regions: none,
  deployments: new Map([['azure', new Map([['our-gpt', 'gpt-4o']])]]),
  apiVersions: none,
});
const catalog = new ModelCatalog();
const directory = new ProviderDirectory(providers, catalog);
const places = new ModelPlaces(catalog, directory);

function soldAt(model: string): readonly string[] {
  return places.of(directory.resolve(model)).map((place) => `${place.provider.name}/${place.model}`);
}

describe('the places where a model is sold', () => {
  test('have it under other names, the requested one first', () => {
    const claude = soldAt('claude-sonnet-4-5');
    assert.equal(claude[0], 'anthropic/claude-sonnet-4-5');
    for (const place of [
      'openrouter/anthropic/claude-sonnet-4.5',
      'bedrock/global.anthropic.claude-sonnet-4-5-20250929-v1:0',
      'vertex/claude-sonnet-4-5',
    ])
      assert.ok(claude.includes(place), `${place} in ${claude.join(' ')}`);
    assert.equal(new Set(claude).size, claude.length);
    const gpt = soldAt('gpt-4o');
    assert.deepEqual(gpt.slice(0, 1), ['openai/gpt-4o']);
    for (const place of ['azure/our-gpt', 'openrouter/openai/gpt-4o']) assert.ok(gpt.includes(place), place);
    assert.equal(
      soldAt('bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0')[1],
      'anthropic/claude-sonnet-4-5',
    );
  });

  test('have the same snapshot, if the name is pinned to one', () => {
    assert.ok(soldAt('claude-sonnet-4-5-20250929').some((place) => place.startsWith('bedrock/')));
    assert.ok(!soldAt('claude-sonnet-4-5-20240101').some((place) => place.startsWith('bedrock/')));
  });

  test('are only its own for a model that nobody lists', () => {
    assert.deepEqual(soldAt('claude-nobody-9'), ['anthropic/claude-nobody-9']);
    assert.deepEqual(soldAt('demo-1'), ['demo/demo-1']);
  });
});

describe('abilities', () => {
  const of = (name: string) => {
    const target = directory.resolve(name);
    return abilitiesOf(target, catalog.find(target.provider, target.model)?.features);
  };

  test('come from the catalog, the rules of the provider and what the provider rejects', () => {
    const claude = of('claude-sonnet-4-5');
    assert.deepEqual(
      [claude.tools, claude.documents, claude.audio, claude.reasoning],
      [true, true, false, true],
    );
    assert.deepEqual([of('gpt-4o').logProbabilities, of('gpt-4o').reasoning], [true, false]);
    assert.deepEqual([of('gpt-5-mini').reasoning, of('gpt-5-mini').stopSequences], [true, false]);
    assert.equal(of('deepseek/deepseek-chat').structuredOutput, false);
    assert.equal(of('claude-3-opus-20240229').structuredOutput, false);
    for (const model of ['claude-fable-5-2', 'claude-mythos-5-2', 'claude-opus-5-5', 'claude-sonnet-5-5'])
      assert.deepEqual([of(model).forcedTool, of(model).documents], [false, true]);
    for (const model of ['claude-opus-5', 'claude-haiku-5-5', 'gpt-6-astra', 'gemini-4-argon'])
      assert.deepEqual([of(model).forcedTool, of(model).reasoning], [true, true]);
  });

  test('are unknown where nobody knows', () => {
    const { tools, images, streaming } = of('together/some/new-model');
    assert.deepEqual([tools, images, streaming], ['unknown', 'unknown', true]);
  });

  test('of a deployment are those of its model, and of OpenRouter those of the maker', () => {
    assert.equal(of('azure/our-gpt').images, true);
    const there = of('openrouter/anthropic/claude-sonnet-4.5');
    assert.deepEqual([there.tools, there.images, there.audio], [true, true, false]);
  });
});
