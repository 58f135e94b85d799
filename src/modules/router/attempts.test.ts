import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '../../module-api.ts';
import { runModule } from '../../testing/index.ts';
import { router } from './router.ts';

test('a client that leaves during the pause before a retry ends the call', async () => {
  const client = new AbortController();
  const { error } = await runModule(router)(
    { model: 'demo-1', messages: [{ role: 'user', content: 'hi' }] },
    {
      signal: client.signal,
      async upstream() {
        client.abort();
        throw new GatewayError('upstream_error', 'overloaded', { status: 529 });
      },
    },
  );
  assert.ok(GatewayError.is(error), String(error));
  assert.equal(error.code, 'client_gone');
});
