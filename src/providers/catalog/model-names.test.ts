import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertCpuBelow } from '../../../test/support/cpu-time.ts';
import { matchesRule, stripDate } from './model-names.ts';

test('what begins like a model is that model when a date or a stage is left over', () => {
  const rule = { starts_with: 'claude-sonnet-5' };
  for (const name of [
    'claude-sonnet-5',
    'claude-sonnet-5-20260630',
    'claude-sonnet-5-latest',
    'claude-sonnet-5@20260630',
  ])
    assert.ok(matchesRule(rule, name), name);
  for (const name of [
    'claude-sonnet-5-5',
    'claude-sonnet-5.5',
    'claude-sonnet-5-5-20260928',
    'claude-sonnet-50',
    'x-claude-sonnet-5',
  ])
    assert.ok(!matchesRule(rule, name), name);
});

test('a smaller sibling is another model', () => {
  const rule = { starts_with: 'gemini-3.6-flash' };
  assert.ok(matchesRule(rule, 'gemini-3.6-flash-preview-05-20'));
  for (const name of ['gemini-3.6-flash-lite', 'gemini-3.6-flash-image', 'gemini-3.6-flash-8b'])
    assert.ok(!matchesRule(rule, name), name);
});

test('rules for families and for tuned models take all of them', () => {
  assert.ok(matchesRule({ starts_with: 'gemma-3-' }, 'gemma-3-27b-it'));
  assert.ok(matchesRule({ starts_with: 'ft:gpt-3.5-turbo' }, 'ft:gpt-3.5-turbo-0125:acme::8abc'));
});

test('rules may be put together', () => {
  const rule = { and: [{ contains: 'gemini-2.5-pro' }, { regex: '^(?!.*-tts$)' }] };
  assert.ok(matchesRule({ or: [{ equals: 'other' }, rule] }, 'gemini-2.5-pro-preview-05-06'));
  assert.ok(!matchesRule({ or: [{ equals: 'other' }, rule] }, 'gemini-2.5-pro-tts'));
  assert.ok(matchesRule({ ends_with: 'gemini-2.0-flash' }, 'models/gemini-2.0-flash'));
});

test('a date is taken off the end of a name', () => {
  assert.equal(stripDate('openai/o4-mini-2025-04-16'), 'openai/o4-mini');
  assert.equal(stripDate('deepseek-v3.2-20251201'), 'deepseek-v3.2');
  assert.equal(stripDate('claude-opus-4-1@20250805'), 'claude-opus-4-1');
  assert.equal(stripDate('gpt-4-0613'), undefined);
});

test('a name of many digits or stages is compared in linear time', async () => {
  const rule = { starts_with: 'claude-sonnet-5' };
  const versions = 'v1:234'.repeat(40);
  await assertCpuBelow(500, () => {
    assert.ok(!matchesRule(rule, `claude-sonnet-5-${'0'.repeat(60)}e`));
    assert.ok(!matchesRule(rule, `claude-sonnet-5-${versions}e`));
    assert.ok(matchesRule(rule, `claude-sonnet-5-${'0'.repeat(60)}`));
    assert.ok(matchesRule(rule, `claude-sonnet-5-${versions}`));
  });
});

test('stages, versions and dates may follow each other with and without a separator', () => {
  const rule = { starts_with: 'm' };
  for (const rest of [
    '',
    '12',
    '-v1',
    'v1:0',
    'v1:23',
    'v123',
    '@001',
    '-exp-0827',
    'experimental',
    ':latest12',
    '123456789',
  ])
    assert.ok(matchesRule(rule, `m${rest}`), rest);
  for (const rest of ['1', '-', 'v', 'v12', 'v1:', 'v1:2-', 'latest1', '--12', 'experiment'])
    assert.ok(!matchesRule(rule, `m${rest}`), rest);
});
