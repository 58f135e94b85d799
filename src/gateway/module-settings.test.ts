import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { findUnknownVariables, moduleSettingsOf } from './module-settings.ts';
import { readSettings } from './settings.ts';

const settings = readSettings({
  PORT: '0',
  WEIR_LOG_DAYS: '3',
  WEIR_STAMP_TEXT: 'canary',
  WEIR_STAMP_TEXT_COLOR: 'red',
  WEIR_STAMP_: 'nothing',
  WEIR_STAMPS_TEXT: 'another',
  WEIR_EXACT_CACHE_TTL: '1h',
  STAMP_TEXT: 'no prefix',
});

test('a module is given what is set under its name, and nothing else', () => {
  assert.deepEqual(moduleSettingsOf('stamp', settings.rest), { TEXT: 'canary', TEXT_COLOR: 'red' });
  assert.deepEqual(moduleSettingsOf('exact-cache', settings.rest), { TTL: '1h' });
  assert.deepEqual(moduleSettingsOf('log', settings.rest), {});
});

test('what no loaded module has a name for is unknown', () => {
  assert.deepEqual(findUnknownVariables(['stamp', 'exact-cache'], settings.rest), [
    'WEIR_STAMP_',
    'WEIR_STAMPS_TEXT',
  ]);
  assert.deepEqual(findUnknownVariables([], settings.rest), settings.unknownVariables);
});

test('what is set for modules is not printed with the settings', () => {
  assert.doesNotMatch(inspect(settings, { depth: 9, showHidden: true }), /canary/);
  assert.doesNotMatch(JSON.stringify({ ...settings, rest: [...settings.rest] }), /canary/);
});
