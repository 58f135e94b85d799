import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { abilityWarnings, priceWarnings } from '../scripts/prices/age.ts';
import { priceChanges } from '../scripts/prices/changes.ts';
import { isJsonObject } from '../src/lib/json.ts';
import { overlays } from '../src/providers/catalog/overlay/index.ts';
import { priceData } from '../src/providers/catalog/price-data.ts';

test('every overlay names its pages and the day of the last comparison', () => {
  for (const [name, { sources, checkedOn }] of overlays) {
    assert.ok(sources.length > 0 && sources.every((page) => page.startsWith('https://')), name);
    assert.match(checkedOn, /^\d{4}-\d\d-\d\d$/, name);
    assert.ok(Date.parse(checkedOn) <= Date.now(), name);
  }
});

test('the noted version of the price data is the installed one', () => {
  const manifest: unknown = JSON.parse(readFileSync('package.json', 'utf8'));
  assert.ok(isJsonObject(manifest) && isJsonObject(manifest.dependencies));
  assert.equal(manifest.dependencies[priceData.package], priceData.version);
});

test('prices that nobody compared for more than 30 days are warned of, each with its pages', () => {
  const days = [...overlays.values()].map(({ checkedOn }) => Date.parse(checkedOn));
  const first = Math.min(...days, Date.parse(priceData.checkedOn));
  assert.deepEqual(priceWarnings(first + 30 * 86_400_000), []);
  const warnings = priceWarnings(first + 31 * 86_400_000);
  assert.ok(warnings.length > 0 && warnings.every((warning) => warning.includes('31 days ago')));
  const all = priceWarnings(Date.now() + 365 * 86_400_000);
  assert.equal(all.length, overlays.size + 1);
  assert.ok(all.some((warning) => warning.includes('https://developers.openai.com/api/docs/pricing')));
  assert.deepEqual(abilityWarnings(Date.now() - 365 * 86_400_000), []);
  const abilities = abilityWarnings(Date.now() + 365 * 86_400_000);
  assert.ok(abilities.some((warning) => warning.includes('https://developers.openai.com/api/docs/models')));
});

test('a refresh tells what is new, gone and changed', () => {
  const before = new Map([
    ['openai/a', '1'],
    ['openai/b', '2'],
    ['openai/c', '3'],
  ]);
  const after = new Map([
    ['openai/a', '1'],
    ['openai/b', '4'],
    ['openai/d', '5'],
  ]);
  assert.deepEqual(priceChanges(before, after), [
    'changed  openai/b 2 → 4',
    'gone     openai/c 3',
    'new      openai/d 5',
  ]);
});
