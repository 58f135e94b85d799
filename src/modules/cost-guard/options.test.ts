import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatUsd } from '../../kernel/money.ts';
import {
  type CostGuardOptions,
  ceilingsOf,
  costGuardOptions,
  strictest,
  Usd,
  windowCeilingsOf,
} from './options.ts';

const read = (options: Record<string, string>): CostGuardOptions => costGuardOptions.parse(options);

test('dollars are read to the billionth', () => {
  const amounts = {
    '5': 5e9,
    '0.50': 5e8,
    '0.1': 1e8,
    '0.000000001': 1,
    '1234567.': undefined,
    '1000000': 1e15,
    '999999.999999999': 999_999_999_999_999,
    '1000000.01': undefined,
    '0': undefined,
    '0.0': undefined,
    '-1': undefined,
    '+1': undefined,
    '1e3': undefined,
    '0.0000000001': undefined,
    '.5': undefined,
    ' 1': undefined,
    '1,5': undefined,
    '': undefined,
    Infinity: undefined,
  };
  for (const [text, nano] of Object.entries(amounts)) assert.equal(Usd.parse(text)?.nano, nano, text);
});

test('every amount is shown as it was written', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e15 }), (nano) => {
      const amount = Usd.parse(formatUsd(nano));
      assert.equal(amount?.nano, nano);
      assert.equal(JSON.stringify({ amount }), `{"amount":"${formatUsd(nano)}"}`);
    }),
  );
});

test('bad options are refused with what they should be', () => {
  const bad = [
    { day: 'much' },
    { assume_output: '0' },
    { assume_output: 'x' },
    { clamp: 'yes' },
    { unknown: 'maybe' },
    { week: '1' },
    { per: 'team' },
    { per: 'tag:' },
    { per: 'tag:a b' },
  ];
  for (const options of bad) assert.equal(costGuardOptions.safeParse(options).success, false);
  const { error } = costGuardOptions.safeParse({ day: '0' });
  assert.match(
    String(error?.issues[0]?.message),
    /must be an amount in dollars above 0 and at most \d+, like 0\.50/,
  );
});

test('where several levels set ceilings the lowest of each holds', () => {
  const merged = strictest([
    read({ request: '0.5', day: '5' }),
    read({ request: '0.7', day: '2', month: '100' }),
    read({ day: '3' }),
  ]);
  assert.deepEqual(JSON.parse(JSON.stringify(merged)), {
    request: '0.5',
    day: '2',
    month: '100',
    clamp: false,
    wait: 10,
    unknown: 'reject',
  });
});

test('ceilings of keys and of each tag hold beside each other', () => {
  const merged = strictest([
    read({ day: '5', per: 'tag:team' }),
    read({ day: '9', per: 'tag:team', month: '20' }),
    read({ month: '100' }),
    read({ day: '1', per: 'tag:env' }),
  ]);
  assert.deepEqual(JSON.parse(JSON.stringify(windowCeilingsOf(merged))), [
    { month: '100' },
    { per: 'env', day: '1' },
    { per: 'team', day: '5', month: '20' },
  ]);
  assert.deepEqual(ceilingsOf(merged), { day: undefined, month: 100e9 });
  assert.deepEqual(ceilingsOf(read({ day: '5', per: 'tag:team' })), {});
});

test('no level can lower the estimate of another level', () => {
  const careful = read({ day: '5' });
  const bold = read({ day: '9', assume_output: '1', assume_input: '1', unknown: 'allow' });
  const merged = strictest([careful, bold]);
  assert.deepEqual(
    [merged.assume_output, merged.assume_input, merged.unknown],
    [undefined, undefined, 'reject'],
  );
  assert.equal(strictest([bold, read({ day: '9', assume_output: '70' })]).assume_output, 70);
  assert.equal(strictest([bold, bold]).unknown, 'allow');
});

test('a level without a ceiling has no say in how those of others are kept', () => {
  const merged = strictest([read({}), read({ day: '5', assume_output: '70', unknown: 'allow' })]);
  assert.deepEqual([merged.day?.nano, merged.assume_output, merged.unknown], [5e9, 70, 'allow']);
});

test('any level may have calls cut short instead of refused', () => {
  assert.equal(strictest([read({ day: '5' }), read({ clamp: 'true' })]).clamp, true);
});

test('it makes no difference in which order levels are put together', () => {
  const usd = fc.option(fc.integer({ min: 1, max: 5 }).map(String), { nil: undefined });
  const level = fc
    .record({
      request: usd,
      day: usd,
      month: usd,
      assume_output: usd,
      unknown: fc.constantFrom('reject', 'allow'),
      per: fc.constantFrom(undefined, 'tag:team', 'tag:env'),
    })
    .map((options) => costGuardOptions.parse(JSON.parse(JSON.stringify(options))));
  fc.assert(
    fc.property(level, level, level, (a, b, c) => {
      const shown = (options: CostGuardOptions) => JSON.stringify(options);
      assert.equal(shown(strictest([strictest([a, b]), c])), shown(strictest([a, b, c])));
      assert.equal(shown(strictest([c, strictest([b, a])])), shown(strictest([a, b, c])));
    }),
  );
});
