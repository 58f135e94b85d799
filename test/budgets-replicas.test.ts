import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { parseUsd } from '../src/kernel/money.ts';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { at } from './support/at.ts';
import { Person } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import {
  ask,
  budgetsPath,
  callNanoUsd,
  makeBudget,
  readBudget,
  refusalOf,
} from './support/organization-budgets.ts';
import { createOrganization, type MemberSession } from './support/organizations.ts';
import { recordedMessage, saysMessage } from './support/recorded-messages.ts';
import { startReplicas } from './support/replicas.ts';

const fake = await FakeUpstream.start(saysMessage(recordedMessage()));
after(() => fake.close());

async function setUp(t: TestContext, more: Readonly<Record<string, string>> = {}) {
  const [one, other] = await startReplicas(t, { WEIR_ANTHROPIC_BASE_URL: fake.url, ...more });
  const owner = await createOrganization(await Person.signUp(one.url));
  const makeKey = async (fields: object = {}) => {
    const { status, text, json } = await owner.call({ path: '/v1/keys', body: fields });
    assert.equal(status, 201, text);
    return { key: String(json.key), keyId: String(json.id) };
  };
  return { replicas: [one, other] as const, owner, makeKey };
}

function usd(nano: number): string {
  return (nano / 1e9).toFixed(9);
}

/** In nano USD, by end user or value. */
async function spentBy(owner: MemberSession, id: string): Promise<ReadonlyMap<string, number>> {
  const { uses } = await readBudget(owner, id);
  const nano = (text: unknown) => parseUsd(String(text), 1e15) ?? 0;
  return new Map(uses.map(({ value, spent_usd }) => [String(value ?? ''), nano(spent_usd)]));
}

/** A call of the property test, and what limits it. */
interface RandomCall {
  readonly key: number;
  readonly team: string | undefined;
  readonly endUser: string | undefined;
}

/** The same calls in each run. */
function randomCalls(count: number): readonly RandomCall[] {
  let state = 42;
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  return Array.from({ length: count }, () => ({
    key: next(2),
    team: [undefined, 'search', 'ads'][next(3)],
    endUser: [undefined, 'ada', 'ben', 'cleo'][next(4)],
  }));
}

for (const counts of ['redis', 'database'] as const)
  test(`calls at once on two replicas never pass overlapping budgets, and the counts are those of the log (${counts})`, async (t) => {
    const settings = counts === 'database' ? { WEIR_COUNTS: 'database' } : {};
    const { replicas, owner, makeKey } = await setUp(t, settings);
    const keys = [await makeKey(), await makeKey()];
    const [first] = keys;
    // A call holds five times what it costs: the limits leave room for some at once.
    const limits = {
      organization: 60 * callNanoUsd,
      key: 40 * callNanoUsd,
      team: 30 * callNanoUsd,
      search: 25 * callNanoUsd,
      endUser: 20 * callNanoUsd,
    };
    const hard = { period: 'day', mode: 'hard' };
    const ids = {
      organization: await makeBudget(owner, {
        ...hard,
        scope: 'organization',
        period: '7d',
        limit_usd: usd(limits.organization),
      }),
      key: await makeBudget(owner, {
        ...hard,
        scope: 'key',
        key_id: first?.keyId,
        period: '24h',
        limit_usd: usd(limits.key),
      }),
      team: await makeBudget(owner, { ...hard, scope: 'tag', tag: 'team', limit_usd: usd(limits.team) }),
      search: await makeBudget(owner, {
        ...{ ...hard, scope: 'tag', tag: 'team', tag_value: 'search', period: 'month' },
        limit_usd: usd(limits.search),
      }),
      endUser: await makeBudget(owner, { ...hard, scope: 'end_user', limit_usd: usd(limits.endUser) }),
      warning: await makeBudget(owner, {
        scope: 'organization',
        mode: 'warning',
        limit_usd: usd(callNanoUsd),
      }),
    };
    const calls = randomCalls(240);
    const before = fake.requests.length;
    const answers = await Promise.all(
      calls.map(async ({ key, team, endUser }, index) => {
        const answer = await ask(replicas[index % 2 === 0 ? 0 : 1].url, keys[key]?.key ?? '', {
          ...(team !== undefined && { tags: `team=${team}` }),
          ...(endUser !== undefined && { endUser }),
        });
        if (answer.status !== 200) refusalOf(answer);
        return answer.status === 200;
      }),
    );
    const answered = calls.filter((_, index) => answers[index] === true);
    assert.equal(fake.requests.length - before, answered.length);
    assert.ok(answered.length > 20 && answered.length < calls.length, String(answered.length));
    const costOf = (is: (call: RandomCall) => boolean) => answered.filter(is).length * callNanoUsd;
    // Holds are settled, and usage is stored, soon after the answers.
    await eventually(async () => {
      const { uses } = await readBudget(owner, ids.organization);
      return uses.every(({ held_usd }) => held_usd === '0') ? true : undefined;
    });
    const total = costOf(() => true);
    assert.ok(total <= limits.organization, String(total));
    assert.deepEqual(await spentBy(owner, ids.organization), new Map([['', total]]));
    assert.deepEqual(await spentBy(owner, ids.warning), new Map([['', total]]));
    const ofKey = costOf(({ key }) => key === 0);
    assert.ok(ofKey <= limits.key);
    assert.deepEqual(await spentBy(owner, ids.key), new Map([['', ofKey]]));
    const ofSearch = costOf(({ team }) => team === 'search');
    assert.ok(ofSearch <= limits.search);
    assert.deepEqual(await spentBy(owner, ids.search), new Map([['', ofSearch]]));
    const teams = await eventually(async () => {
      const spent = await spentBy(owner, ids.team);
      return spent.size === 2 ? spent : undefined;
    });
    for (const team of ['search', 'ads']) {
      assert.equal(
        teams.get(team),
        costOf((one) => one.team === team),
      );
      assert.ok((teams.get(team) ?? 0) <= limits.team);
    }
    const users = await spentBy(owner, ids.endUser);
    const expected = ['ada', 'ben', 'cleo'].map((user) => costOf(({ endUser }) => endUser === user));
    assert.deepEqual([...users.values()].toSorted(), expected.toSorted());
    assert.ok([...users.values()].every((spent) => spent <= limits.endUser));
    // What the log has is what the budgets have counted.
    await eventually(async () => {
      const { json } = await owner.call({ method: 'GET', path: '/v1/requests?status=200&limit=200' });
      const rows = at(json, 'requests');
      assert.ok(Array.isArray(rows));
      const logged = rows.reduce((sum, { cost_usd }) => sum + (parseUsd(String(cost_usd), 1e15) ?? 0), 0);
      return logged === total ? true : undefined;
    });
  });

test('a change or deletion on one replica holds at once on the other', async (t) => {
  const { replicas, owner, makeKey } = await setUp(t);
  const [, other] = replicas;
  const { key } = await makeKey();
  assert.equal((await ask(other.url, key)).status, 200);
  const id = await makeBudget(owner, { scope: 'organization', limit_usd: '0.0001' });
  refusalOf(await ask(other.url, key));
  const path = `${budgetsPath}/${id}`;
  await owner.call({ method: 'PATCH', path, body: { limit_usd: '1' } });
  assert.equal((await ask(other.url, key)).status, 200);
  await owner.call({ method: 'PATCH', path, body: { limit_usd: '0.0001' } });
  refusalOf(await ask(other.url, key));
  await owner.call({ method: 'DELETE', path });
  assert.equal((await ask(other.url, key)).status, 200);
});
