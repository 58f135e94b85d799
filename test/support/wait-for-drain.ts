import assert from 'node:assert/strict';
import { at } from './at.ts';
import { call } from './call.ts';
import { eventually } from './eventually.ts';

const demo = { model: 'demo-1', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] };

/** Waits until balancers are told that it is about to stop, and sees that calls are answered still. */
export async function waitForDrainNotice(url: string): Promise<void> {
  await eventually(async () => {
    const { status, json } = await call(url, { path: '/ready' });
    return status === 503 && json.status === 'draining' ? true : undefined;
  });
  const { status, headers } = await call(url, { path: '/v1/messages', body: demo });
  assert.deepEqual([status, headers.connection], [200, 'close']);
}

/** Waits until new calls are turned away: the first signal has arrived. */
export async function waitForRejections(url: string): Promise<void> {
  await eventually(async () => {
    const answer = await call(url, { path: '/v1/messages', body: demo }).catch(() => undefined);
    if (answer?.status === 200) return undefined;
    assert.equal(at(answer?.json, 'error', 'code') ?? 'draining', 'draining');
    return true;
  });
}
