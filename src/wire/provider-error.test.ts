import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseProviderError } from './provider-error.ts';

test('a wrong key and one without credit are known by what providers write', () => {
  const keyProblemOf = (body: object) => parseProviderError(Buffer.from(JSON.stringify(body)))?.keyProblem;
  const google = { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' };
  assert.equal(keyProblemOf({ error: { ...google, details: [{ reason: 'API_KEY_INVALID' }] } }), 'rejected');
  assert.equal(keyProblemOf({ error: { ...google, details: [{ reason: 'OTHER' }] } }), undefined);
  assert.equal(keyProblemOf({ code: 'x', error: 'Incorrect API key provided: xa***yz.' }), 'rejected');
  assert.equal(keyProblemOf({ error: { message: 'Quota', code: 'insufficient_quota' } }), 'unpaid');
  assert.equal(keyProblemOf({ error: { message: 'Limit', code: 'billing_hard_limit_reached' } }), 'unpaid');
  const message = 'Your credit balance is too low to access the Anthropic API.';
  assert.equal(keyProblemOf({ type: 'error', error: { type: 'invalid_request_error', message } }), 'unpaid');
  assert.equal(keyProblemOf({ error: { message: 'max_tokens: too large' } }), undefined);
});
