import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calcPrice, findProvider, type ModelInfo } from '@pydantic/genai-prices';
import fc from 'fast-check';
import type { Provider } from '../../kernel/provider.ts';
import { builtInProviders } from '../index.ts';
import { ModelCatalog } from './model-catalog.ts';
import { exactNamesIn } from './model-names.ts';
import { overlays } from './overlay/index.ts';

/** A Monday, outside of anybody's peak hours. */
const at = new Date('2026-11-16T12:00:00Z');
const modelCatalog = new ModelCatalog({ clock: { now: () => at.getTime() } });
const tokens = fc.nat(300_000);
const usages = fc.record({
  input: tokens,
  read: tokens,
  minutes: tokens,
  hour: tokens,
  output: tokens,
  searches: fc.nat(9),
});
type Usage = typeof usages extends fc.Arbitrary<infer Value> ? Value : never;

interface Theirs {
  /** The usage without kinds that are not listed. */
  readonly usage: Usage;
  readonly nanoUsd: number;
  /** Whether the price for what is written isn't a decimal fraction. */
  readonly thirds: boolean;
}

function theirs(name: string, providerId: string, usage: Usage): Theirs | undefined {
  const priced = calcPrice(
    {
      input_tokens: usage.input + usage.read + usage.minutes + usage.hour,
      cache_read_tokens: usage.read,
      cache_write_tokens: usage.minutes + usage.hour,
      cache_write_1h_tokens: usage.hour,
      output_tokens: usage.output,
      web_searches: usage.searches,
    },
    name,
    { providerId, timestamp: at },
  );
  if (priced?.model_price.input_mtok === undefined || priced.model_price.output_mtok === undefined)
    return undefined;
  // Names that a provider doesn't list are priced there as at the model's maker.
  if (!findProvider({ providerId })?.models.some(({ id }) => id === priced.model.id)) return undefined;
  // What isn't listed costs nothing there, and has a price of ours.
  const { cache_write_1h_mtok, web_searches_kcount } = priced.model_price;
  if (cache_write_1h_mtok === undefined && usage.hour > 0)
    return theirs(name, providerId, { ...usage, hour: 0 });
  if (web_searches_kcount === undefined && usage.searches > 0)
    return theirs(name, providerId, { ...usage, searches: 0 });
  return {
    usage,
    nanoUsd: priced.total_price * 1e9,
    thirds: /3333/.test(JSON.stringify(priced.model_price.cache_write_mtok ?? 0)),
  };
}

function ours(provider: Provider, name: string, usage: Usage): number {
  const cost = modelCatalog.cost(provider, name, {
    input_tokens: usage.input,
    cache_read_input_tokens: usage.read,
    cache_creation_input_tokens: usage.minutes + usage.hour,
    cache_creation: { ephemeral_1h_input_tokens: usage.hour },
    output_tokens: usage.output,
    server_tool_use: { web_search_requests: usage.searches },
  });
  return cost ?? Number.NaN;
}

/** To the billionth of a dollar; a third of a trillionth for a token that was written is rounded up. */
function agree(cost: number, { nanoUsd, thirds, usage: { minutes, hour } }: Theirs): boolean {
  return cost > nanoUsd - 0.01 && cost - nanoUsd <= 1 + (thirds ? (minutes + hour) / 1000 : 0);
}

const namesOf = ({ id, match }: ModelInfo) => [...new Set([id, ...exactNamesIn(match)])];

/** Names for which the overlay has a price in place of the published one; why stands beside it there. */
function exceptions(provider: Provider): ReadonlySet<string> {
  const { models = [] } = overlays.get(provider.name) ?? {};
  const priced = models.filter(({ prices }) => prices !== undefined);
  const listed = findProvider({ providerId: provider.priceId ?? '' })?.models ?? [];
  return new Set(
    priced.flatMap(({ id, names = [] }) => {
      const replaced = listed.filter((model) => [id, ...names].includes(model.id)).flatMap(namesOf);
      return [id, ...names, ...replaced];
    }),
  );
}

const described = builtInProviders.flatMap((provider) =>
  (findProvider({ providerId: provider.priceId ?? '' })?.models ?? []).flatMap((model) =>
    namesOf(model).map((name) => ({ provider, model, name })),
  ),
);

test('a call costs what the price data says, for every name in it that we have no better price for', () => {
  let compared = 0;
  const excepted = new Map(builtInProviders.map((provider) => [provider, exceptions(provider)]));
  for (const { provider, name } of described) {
    if (excepted.get(provider)?.has(name)) continue;
    for (const usage of fc.sample(usages, { numRuns: 5, seed: compared })) {
      const price = theirs(name, provider.priceId ?? '', usage);
      if (price === undefined) continue;
      const cost = ours(provider, name, price.usage);
      assert.ok(
        agree(cost, price),
        `${provider.name}/${name} ${JSON.stringify(price.usage)}: ${cost} and ${price.nanoUsd}`,
      );
      compared++;
    }
  }
  assert.ok(compared > 5 * 900, String(compared));
});

test('no price of ours says what the price data says anyway', () => {
  for (const provider of builtInProviders) {
    for (const { id, prices } of overlays.get(provider.name)?.models ?? []) {
      if (prices === undefined || provider.priceId === undefined) continue;
      const same = fc.sample(usages, { numRuns: 20, seed: 1 }).every((usage) => {
        const price = theirs(id, provider.priceId ?? '', usage);
        return price !== undefined && agree(ours(provider, id, price.usage), price);
      });
      const dated = Array.isArray(prices);
      assert.ok(!same || dated || id.includes('audio'), `${provider.name}/${id}`);
    }
  }
});

test('what the overlay only describes is in the price data', () => {
  for (const provider of builtInProviders) {
    const listed = findProvider({ providerId: provider.priceId ?? '' })?.models ?? [];
    const names = new Set(listed.flatMap(namesOf));
    for (const { id, prices } of overlays.get(provider.name)?.models ?? [])
      assert.ok(prices !== undefined || names.has(id), `${provider.name}/${id}`);
  }
});
