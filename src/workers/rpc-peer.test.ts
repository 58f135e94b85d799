import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createProcessLinkPair, type ProcessLinkPair } from '../../test/support/process-link-pair.ts';
import { GatewayError } from '../kernel/errors.ts';
import { RpcPeer } from './rpc-peer.ts';

interface Sums {
  add(one: number, other: number): Promise<number>;
  bytes(value: Uint8Array): Promise<Uint8Array>;
  nothing(): Promise<void>;
  refuse(): Promise<never>;
  break(): Promise<never>;
  never(): Promise<void>;
}

const refusal = new GatewayError('tier_cap_reached', 'no more', {
  retryAfterSeconds: 7,
  cause: () => 'a function can not be sent',
});

const sums: Sums = {
  add: async (one, other) => one + other,
  bytes: async (value) => value.toReversed(),
  nothing: async () => undefined,
  refuse: () => Promise.reject(refusal),
  break: () => Promise.reject(new TypeError('a bug')),
  never: () => new Promise(() => undefined),
};

interface Pair extends ProcessLinkPair {
  readonly asker: RpcPeer<object, Sums>;
}

function setUp(t: TestContext, handlers: Sums = sums, pendingMax = 100): Pair {
  const links = createProcessLinkPair(t);
  const [here, there] = links.ends;
  new RpcPeer({ channel: there, handlers });
  return { ...links, asker: new RpcPeer<object, Sums>({ channel: here, handlers: {}, pendingMax }) };
}

test('answers come to those who asked, with values as they were', async (t) => {
  const { asker } = setUp(t);
  const [three, reversed, nothing] = await Promise.all([
    asker.invoke('add', 1, 2),
    asker.invoke('bytes', Uint8Array.of(1, 2, 3)),
    asker.invoke('nothing'),
  ]);
  assert.equal(three, 3);
  assert.deepEqual(Buffer.from(reversed), Buffer.of(3, 2, 1));
  assert.equal(nothing, undefined);
  assert.equal(asker.pending, 0);
});

test('what is asked in one turn is one message, and so are the answers', async (t) => {
  const { asker, messages } = setUp(t);
  await Promise.all(Array.from({ length: 50 }, (_, at) => asker.invoke('add', at, at)));
  assert.deepEqual(
    messages.map(({ invocations, results }) => [invocations.length, results.length]),
    [
      [50, 0],
      [0, 50],
    ],
  );
});

test('both sides may ask, also while they are asked', async (t) => {
  const [here, there] = createProcessLinkPair(t).ends;
  const left = new RpcPeer<Sums, Sums>({ channel: here, handlers: sums });
  const right: RpcPeer<Sums, Sums> = new RpcPeer({
    channel: there,
    handlers: { ...sums, add: async (one, other) => 100 * (await right.invoke('add', one, other)) },
  });
  assert.equal(await left.invoke('add', 1, 2), 300);
});

test('a refusal arrives with its code and details, a bug with its words', async (t) => {
  const { asker } = setUp(t);
  await assert.rejects(asker.invoke('refuse'), (thrown) => {
    assert.ok(GatewayError.is(thrown));
    assert.equal(thrown.code, 'tier_cap_reached');
    assert.equal(thrown.status, 429);
    assert.equal(thrown.message, 'no more');
    assert.equal(thrown.details.retryAfterSeconds, 7);
    return true;
  });
  await assert.rejects(asker.invoke('break'), (thrown) => {
    assert.ok(thrown instanceof Error && !GatewayError.is(thrown));
    assert.equal(thrown.message, 'a bug');
    return true;
  });
});

test('no call waits for ever, and a call past the limit of pending calls fails at once', async (t) => {
  const { asker, cut } = setUp(t, sums, 3);
  const patient = assert.rejects(asker.invokeWithTimeout(3_600_000, 'never'), { message: /ended/ });
  const late = [asker.invokeWithTimeout(50, 'never'), asker.invokeWithTimeout(50, 'never')];
  await assert.rejects(asker.invoke('add', 1, 2), { code: 'storage_unavailable', message: /not keeping up/ });
  for (const one of late) await assert.rejects(one, { code: 'storage_unavailable', message: /in time/ });
  assert.equal(asker.pending, 1, 'each waits for its own time');
  assert.equal(await asker.invoke('add', 1, 2), 3);
  cut();
  await patient;
});

test('a call whose caller has stopped waiting is not made', async (t) => {
  let added = 0;
  const counting: Sums = { ...sums, add: async () => ++added };
  const { asker } = setUp(t, counting);
  await assert.rejects(asker.invokeWithTimeout(-1, 'add', 1, 2), { code: 'storage_unavailable' });
  assert.equal(added, 0);
  assert.equal(await asker.invoke('add', 1, 2), 1);
});

test('pending and later calls fail at once when the link ends', async (t) => {
  const { asker, cut } = setUp(t);
  const waiting = asker.invokeWithTimeout(60_000, 'never');
  cut();
  await assert.rejects(waiting, { code: 'storage_unavailable', message: /ended/ });
  await assert.rejects(asker.invoke('add', 1, 2), { code: 'storage_unavailable', message: /ended/ });
});
