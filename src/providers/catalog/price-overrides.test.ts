import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { openai } from '../openai.ts';
import { openaiCompatible } from '../openai-compatible.ts';
import { openrouter } from '../openrouter.ts';
import { ModelCatalog } from './model-catalog.ts';
import { PriceOverrides, priceFile } from './price-overrides.ts';

const folder = mkdtempSync(join(tmpdir(), 'prices-'));
after(() => rmSync(folder, { recursive: true }));
const mine = openaiCompatible({ name: 'mine', title: 'Mine', baseUrl: 'http://mine.invalid' });

function written(content: unknown): string {
  const path = join(folder, 'prices.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

function catalogWith(models: object, now = '2026-11-16'): ModelCatalog {
  return new ModelCatalog({
    clock: { now: () => Date.parse(now) },
    overrides: PriceOverrides.of(priceFile.parse(written({ models }))),
  });
}

function faultsOf(content: unknown): readonly string[] {
  return faultsIn(written(content));
}

function faultsIn(setting: string): readonly string[] {
  return (priceFile.safeParse(setting).error?.issues ?? []).map(({ message }) => message);
}

const million = { input_tokens: 1_000_000, output_tokens: 1_000_000 };

describe('prices of the operator', () => {
  test('replace those of the catalogue, and leave the rest of the model as it is', () => {
    const modelCatalog = catalogWith({
      'openai/gpt-4o': { prices: { input: 2, output: 8, cache_read: 0.5 }, output_tokens_max: 4096 },
    });
    assert.equal(modelCatalog.cost(openai, 'gpt-4o', million), 10e9);
    assert.equal(modelCatalog.priced(openai, 'gpt-4o')?.outputTokensMax, 4096);
    assert.equal(modelCatalog.find(openai, 'gpt-4o')?.contextTokens, 128_000);
    assert.equal(modelCatalog.cost(openai, 'gpt-4o-mini', million), 0.75e9);
  });

  test('apply to an unknown model', () => {
    const modelCatalog = catalogWith({ 'mine/llama-70b': { prices: { input: 0.5, output: 0.7 } } });
    assert.equal(modelCatalog.cost(mine, 'llama-70b', million), 1.2e9);
    assert.equal(modelCatalog.priced(mine, 'llama-70b')?.estimated, false);
    assert.deepEqual(
      modelCatalog.list(mine).map(({ id }) => id),
      ['llama-70b'],
    );
    const other = modelCatalog.priced(mine, 'other');
    assert.deepEqual([other?.estimated, other?.card.output], [true, 700_000]);
  });

  test('hold for all other models of a provider, without making them known', () => {
    const modelCatalog = catalogWith({ 'mine/*': { prices: { input: 0, output: 0 } } });
    assert.equal(modelCatalog.cost(mine, 'anything', million), 0);
    assert.equal(modelCatalog.find(mine, 'anything'), undefined);
    assert.deepEqual(modelCatalog.list(mine), []);
  });

  test('come before what a provider says that a call cost', () => {
    const modelCatalog = catalogWith({ 'openrouter/openai/gpt-4o': { prices: { input: 1, output: 1 } } });
    const usage = { ...million, cost: 12.5 };
    assert.equal(modelCatalog.cost(openrouter, 'openai/gpt-4o', usage), 2e9);
    assert.equal(modelCatalog.cost(openrouter, 'openai/gpt-4.1', usage), 12.5e9);
  });

  test('may change on a day, with the length of the input and with the tier', () => {
    const prices = [
      { input: 1, output: 2 },
      { from: '2026-12-01', input: 3, output: 4, long_input: { above: 100, input: 6, output: 8 } },
    ];
    const models = { 'mine/m': { prices, factors: { flex: 0.5 } } };
    assert.equal(catalogWith(models, '2026-11-30').cost(mine, 'm', { input_tokens: 200 }), 200_000);
    const later = catalogWith(models, '2026-12-01');
    assert.equal(later.cost(mine, 'm', { input_tokens: 100 }), 300_000);
    assert.equal(later.cost(mine, 'm', { input_tokens: 101 }), 606_000);
    assert.equal(later.cost(mine, 'm', { input_tokens: 100, service_tier: 'flex' }), 150_000);
  });

  test('name their providers, so that a misspelt one can be reported', () => {
    const overrides = PriceOverrides.of(
      priceFile.parse(written({ models: { 'opnai/gpt-4o': { prices: { input: 1, output: 1 } } } })),
    );
    assert.deepEqual(overrides.providers, ['opnai']);
  });
});

describe('a file with faults', () => {
  test('has all of them listed with their place', () => {
    const faults = faultsOf({
      models: {
        'openai/gpt-4o': { prices: { input: -1, output: '8', cache: 1 } },
        gpt: { prices: { input: 1, output: 1 } },
        'mine/m': { prices: { input: 1, output: 1, from: 'soon' }, output_tokens_max: 0 },
      },
      version: 2,
    }).join('\n');
    assert.match(faults, /models › openai\/gpt-4o › prices/);
    assert.match(faults, /models › gpt: .*provider\/model/);
    assert.match(faults, /output_tokens_max/);
    assert.match(faults, /version/);
  });

  test('says where a price alone is wrong', () => {
    const [fault = ''] = faultsOf({ models: { 'openai/gpt-4o': { prices: { input: 'two', output: 8 } } } });
    assert.match(fault, /^models › openai\/gpt-4o › prices.*amount in US dollars/);
  });

  test('may be no JSON, have a key twice, or not be there', () => {
    assert.match(faultsOf('{')[0] ?? '', /prices\.json: it is not JSON/);
    assert.match(faultsOf('{"models":{},"models":{}}')[0] ?? '', /duplicate key/);
    assert.match(faultsIn(join(folder, 'absent.json'))[0] ?? '', /absent\.json: ENOENT/);
  });
});
