import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModelCatalog } from './catalog/model-catalog.ts';
import { findCheapestModel } from './cheapest-model.ts';
import { builtInProviders } from './index.ts';

const modelCatalog = new ModelCatalog();
const named = (...names: readonly string[]) => builtInProviders.filter(({ name }) => names.includes(name));
const rateOf = (names: readonly string[]) => {
  const target = findCheapestModel(named(...names), modelCatalog);
  assert.ok(target !== undefined);
  const card = modelCatalog.priced(target.provider, target.model)?.card;
  assert.ok(card !== undefined);
  return card.input + card.output;
};

test('the cheapest is one that is sold, and no dearer than any other that is known well', () => {
  for (const name of ['anthropic', 'openai', 'gemini', 'mistral', 'groq', 'deepseek', 'xai']) {
    const rate = rateOf([name]);
    assert.ok(rate > 0);
    for (const provider of named(name))
      for (const { id, features } of modelCatalog.list(provider)) {
        const card = modelCatalog.priced(provider, id)?.card;
        const other = card === undefined ? 0 : card.input + card.output;
        if (features?.includes('tools') === true && other > 0) assert.ok(other >= rate, id);
      }
  }
});

test('of several providers it is the cheapest of all', () => {
  const all = ['anthropic', 'openai', 'groq'];
  assert.equal(rateOf(all), Math.min(...all.map((name) => rateOf([name]))));
});

test('there is none where nothing is sold', () => {
  assert.equal(findCheapestModel([], modelCatalog), undefined);
  assert.equal(findCheapestModel(named('demo', 'ollama'), modelCatalog), undefined);
});
