import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runModule } from '../../testing/run-module.ts';
import { airgap } from './airgap.ts';

const question = { model: 'demo-1', max_tokens: 9, messages: [{ role: 'user' as const, content: 'Hi' }] };

test('it changes nothing and says what it means', async () => {
  const { answer, sent, step } = await runModule(airgap)(question);
  assert.equal(answer?.role, 'assistant');
  assert.deepEqual(sent, [question]);
  assert.deepEqual([step?.effect, step?.attributes], ['passed', { egress: 'providers' }]);
});

test('it has no options and can not be skipped', () => {
  assert.deepEqual([airgap.protective, airgap.ifBroken, airgap.airgap], [true, 'reject', true]);
});
