import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Usage } from './message.ts';
import { nanoOfPico } from './money.ts';
import { costCeiling, costOf, costParts, isCostAssumed, type RateCard, type Rates } from './rate-card.ts';

// Up to 600 dollars a million tokens: a call stays below the nine thousand dollars that whole numbers hold.
const rate = fc.integer({ min: 0, max: 600_000_000 });
const ratesOf = fc.record({
  input: rate,
  output: rate,
  cacheRead: rate,
  cacheWrite: rate,
  cacheWriteHour: rate,
  audioInput: rate,
  audioOutput: rate,
  webSearch: rate,
  previewSearch: rate,
  fileSearch: rate,
  request: rate,
});
const factors = fc.dictionary(
  fc.constantFrom('flex', 'priority', 'fast', 'us'),
  fc.integer({ min: 1, max: 2000 }),
);
const anyCard: fc.Arbitrary<RateCard> = fc
  .record(
    {
      base: ratesOf,
      long: fc.option(fc.record({ aboveTokens: fc.nat(300_000), rates: ratesOf }), { nil: undefined }),
      factors,
    },
    { requiredKeys: ['base', 'long', 'factors'] },
  )
  .map(({ base, long, factors: named }) => ({
    ...base,
    factors: named,
    ...(long !== undefined && { longInput: long }),
  }));
const tokens = fc.nat(200_000);
const anyUsage: fc.Arbitrary<Usage> = fc.record(
  {
    input_tokens: tokens,
    output_tokens: tokens,
    cache_read_input_tokens: tokens,
    cache_creation_input_tokens: tokens,
    cache_creation: fc.record({ ephemeral_1h_input_tokens: tokens }),
    input_audio_tokens: tokens,
    output_audio_tokens: tokens,
    server_tool_use: fc.record({ web_search_requests: fc.nat(50), file_search_requests: fc.nat(50) }),
    service_tier: fc.constantFrom('standard', 'flex', 'priority', null),
    speed: fc.constantFrom('standard', 'fast'),
    inference_geo: fc.constantFrom('global', 'us'),
  },
  { requiredKeys: [] },
);

const rates: Rates = {
  input: 3000,
  output: 15_000,
  cacheRead: 300,
  cacheWrite: 3750,
  cacheWriteHour: 6000,
  audioInput: 40_000,
  audioOutput: 80_000,
  webSearch: 10_000_000,
  previewSearch: 25_000_000,
  fileSearch: 2_500_000,
  request: 0,
};
const card: RateCard = { ...rates, factors: {} };

describe('the cost of a call', () => {
  test('is the sum of its parts, in whole numbers, whatever the card and the usage', () => {
    fc.assert(
      fc.property(anyCard, anyUsage, (some, usage) => {
        const parts = Object.values(costParts(some, usage));
        assert.ok(parts.every((part) => Number.isSafeInteger(part) && part >= 0));
        const exact = parts.reduce((sum, part) => sum + BigInt(part), 0n);
        assert.equal(BigInt(costOf(some, usage)), (exact + 999n) / 1000n);
      }),
    );
  });

  test('never falls when more was used', () => {
    fc.assert(
      fc.property(ratesOf, anyUsage, fc.nat(1000), (some, usage, more) => {
        const flat = { ...some, factors: {} };
        const grown = { ...usage, output_tokens: (usage.output_tokens ?? 0) + more };
        assert.ok(costOf(flat, grown) >= costOf(flat, usage));
      }),
    );
  });

  test('has a part for each kind of token', () => {
    const usage = {
      input_tokens: 1000,
      output_tokens: 100,
      cache_read_input_tokens: 2000,
      cache_creation_input_tokens: 300,
      cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 100 },
      input_audio_tokens: 10,
      output_audio_tokens: 1,
      server_tool_use: { web_search_requests: 2, file_search_requests: 1 },
    };
    assert.deepEqual(costParts(card, usage), {
      input: 990 * 3000,
      output: 99 * 15_000,
      cacheRead: 2000 * 300,
      cacheWrite: 200 * 3750,
      cacheWriteHour: 100 * 6000,
      audioInput: 10 * 40_000,
      audioOutput: 80_000,
      webSearch: 20_000_000,
      previewSearch: 0,
      fileSearch: 2_500_000,
      request: 0,
    });
  });

  test('counts cached audio and cached pictures at their own rates, within the cached tokens', () => {
    const media = { audioRead: 700, imageRead: 900, units: {} };
    const talking = { ...card, media };
    const usage = {
      ...{ input_tokens: 0, cache_read_input_tokens: 100, cache_read_audio_tokens: 60 },
      cache_read_image_tokens: 30,
    };
    assert.equal(costOf(talking, usage), nanoOfPico(60 * 700 + 30 * 900 + 10 * 300));
    const tooMany = { ...usage, cache_read_audio_tokens: 90, cache_read_image_tokens: 90 };
    assert.equal(costOf(talking, tooMany), nanoOfPico(90 * 700 + 10 * 900));
    assert.equal(costOf({ ...card, media: { units: {} } }, usage), nanoOfPico(100 * 300));
  });

  test('takes the dearer rates for the whole of a call with more input than the limit, and not at the limit', () => {
    const double = { ...rates, input: 6000, output: 22_500, cacheRead: 600 };
    const long = { ...card, longInput: { aboveTokens: 200_000, rates: double } };
    const at = { input_tokens: 150_000, cache_read_input_tokens: 50_000, output_tokens: 10 };
    assert.equal(costOf(long, at), nanoOfPico(150_000 * 3000 + 50_000 * 300 + 10 * 15_000));
    const past = { ...at, cache_read_input_tokens: 50_001 };
    assert.equal(costOf(long, past), nanoOfPico(150_000 * 6000 + 50_001 * 600 + 10 * 22_500));
  });

  test('is changed by tiers, speeds and regions that are on the card', () => {
    const factored = { ...card, factors: { flex: 500, fast: 2000 }, regions: { us: 1100 } };
    const usage = { input_tokens: 1000, server_tool_use: { web_search_requests: 1 } };
    const cost = (more: Usage) => costOf(factored, { ...usage, ...more }) - 10_000;
    assert.equal(cost({}), 3000);
    assert.equal(cost({ service_tier: 'flex' }), 1500);
    assert.equal(cost({ service_tier: 'auto', speed: 'standard', inference_geo: 'global' }), 3000);
    assert.equal(cost({ speed: 'fast', inference_geo: 'us' }), 6600);
  });

  test('counts a tier, speed or region that is not on the card with the highest factor, as an assumption', () => {
    const factored = { ...card, factors: { flex: 500, fast: 2000 }, regions: { us: 1100 } };
    const unknown: readonly (readonly [Usage, number])[] = [
      [{ service_tier: 'ultrafast' }, 6000],
      [{ speed: 'toString' }, 6000],
      [{ inference_geo: 'eu' }, 3300],
    ];
    for (const [more, cost] of unknown) {
      const usage = { input_tokens: 1000, ...more };
      assert.deepEqual([costOf(factored, usage), isCostAssumed(factored, usage)], [cost, true]);
      assert.deepEqual([costOf(card, usage), isCostAssumed(card, usage)], [3000, true]);
      const set = { ...factored, isUniform: true } as const;
      assert.deepEqual([costOf(set, usage), isCostAssumed(set, usage)], [3000, false]);
    }
    for (const known of [{}, { service_tier: 'flex' }, { speed: 'fast', inference_geo: 'us' }])
      assert.equal(isCostAssumed(factored, { input_tokens: 1000, ...known }), false);
    assert.equal(isCostAssumed({ ...factored, assumed: new Set(['flex']) }, { service_tier: 'flex' }), true);
  });

  test('counts nothing below zero and no part of a token', () => {
    const odd = { input_tokens: -5, output_tokens: 1.5, cache_read_input_tokens: Number.NaN };
    assert.equal(costOf(card, odd), 30);
  });

  test('rounds up, so that no call is free that costs something', () => {
    assert.equal(costOf({ ...card, input: 1 }, { input_tokens: 1 }), 1);
  });
});

describe('the ceiling of a call', () => {
  const bounded = fc.record({ inputTokens: tokens, outputTokens: tokens });

  test('is never passed by what stays within its bounds, however it is billed', () => {
    fc.assert(
      fc.property(anyCard, anyUsage, (some, usage) => {
        const { input_tokens = 0, cache_read_input_tokens = 0, cache_creation_input_tokens = 0 } = usage;
        const { server_tool_use: _, ...counts } = usage;
        const longer = some.longInput;
        const card =
          longer === undefined
            ? some
            : { ...some, longInput: { ...longer, rates: most(some, longer.rates) } };
        const bound = {
          ...usage,
          inputTokens: input_tokens + cache_read_input_tokens + cache_creation_input_tokens,
          outputTokens: usage.output_tokens ?? 0,
          hourCache: true,
        };
        assert.ok(costCeiling(card, bound) >= costOf(card, counts));
      }),
    );
  });

  test('grows with its bounds', () => {
    fc.assert(
      fc.property(ratesOf, bounded, (some, bound) => {
        const flat = { ...some, factors: {} };
        const wider = { inputTokens: bound.inputTokens + 1, outputTokens: bound.outputTokens + 1 };
        assert.ok(costCeiling(flat, wider) >= costCeiling(flat, bound));
      }),
    );
  });

  test('reckons with a cache of minutes always, and with one of an hour when it is asked for', () => {
    const bound = { inputTokens: 1000, outputTokens: 0 };
    const silent = { ...card, audioInput: 3000 };
    assert.equal(costCeiling(silent, bound), 3750);
    assert.equal(costCeiling(silent, { ...bound, hourCache: true }), 6000);
  });
});

/** Long inputs are never cheaper than short ones on a real card. */
function most(a: Rates, b: Rates): Rates {
  const larger = (kind: keyof Rates) => Math.max(a[kind], b[kind]);
  return {
    input: larger('input'),
    output: larger('output'),
    cacheRead: larger('cacheRead'),
    cacheWrite: larger('cacheWrite'),
    cacheWriteHour: larger('cacheWriteHour'),
    audioInput: larger('audioInput'),
    audioOutput: larger('audioOutput'),
    webSearch: larger('webSearch'),
    previewSearch: larger('previewSearch'),
    fileSearch: larger('fileSearch'),
    request: larger('request'),
  };
}
