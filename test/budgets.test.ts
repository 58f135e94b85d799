import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at, fieldsOf } from './support/at.ts';
import { call, type RawAnswer } from './support/call.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import {
  ask,
  budgetsPath,
  haiku,
  makeBudget,
  readBudget,
  refusalOf,
  spentOf,
} from './support/organization-budgets.ts';
import { addMember, createOrganization, type MemberSession } from './support/organizations.ts';
import { recordedMessage, saysMessage } from './support/recorded-messages.ts';
import { WebhookReceiver } from './support/webhook-receiver.ts';

const fake = await FakeUpstream.start(saysMessage(recordedMessage()));
after(() => fake.close());
const cloud = await startTestGateway({
  WEIR_MODE: 'cloud',
  WEIR_ANTHROPIC_BASE_URL: fake.url,
  WEIR_OPENAI_BASE_URL: fake.url,
  WEIR_PASS_THROUGH: 'openai/vector_stores*',
});
after(() => cloud.close());

/** An organization with an API key. */
async function setUp(url = cloud.url): Promise<{
  readonly owner: MemberSession;
  readonly key: string;
  readonly keyId: string;
}> {
  const owner = await createOrganization(await Person.signUp(url));
  return { owner, ...(await makeKey(owner)) };
}

async function makeKey(owner: MemberSession, fields: object = {}) {
  const { status, text, json } = await owner.call({ path: '/v1/keys', body: fields });
  assert.equal(status, 201, text);
  return { key: String(json.key), keyId: String(json.id) };
}

/** Less than two calls hold, and more than one: the second is refused once the first has spent something. */
const oneCall = '0.0009';

describe('budgets', () => {
  test('are created, listed, changed and deleted, and every change is in the audit log', async () => {
    const { owner, keyId } = await setUp();
    const made = await owner.call({
      path: budgetsPath,
      body: { name: 'Bot', scope: 'key', key_id: keyId, period: 'day', limit_usd: '5.250000001' },
    });
    assert.equal(made.status, 201, made.text);
    const { id, created_at, updated_at, uses, ...settings } = made.json;
    assert.deepEqual(settings, {
      ...{ name: 'Bot', scope: 'key', project_id: null, key_id: keyId, end_user: null, tag: null },
      ...{ tag_value: null, each: false, period: 'day', limit_usd: '5.250000001', mode: 'hard' },
      ...{ thresholds: [50, 80, 95, 100], share: 0 },
    });
    assert.equal(created_at, updated_at);
    assert.equal(at(uses, '0', 'left_usd'), '5.250000001');
    assert.match(String(at(uses, '0', 'renews_at')), /T00:00:00\.000Z$/);
    const path = `${budgetsPath}/${id}`;
    const changed = await owner.call({
      ...{ method: 'PATCH', path },
      body: { limit_usd: '7', mode: 'warning', thresholds: [90, 10, 90] },
    });
    assert.deepEqual(
      [changed.json.limit_usd, changed.json.mode, changed.json.thresholds, changed.json.name],
      ['7', 'warning', [10, 90], 'Bot'],
    );
    assert.equal((await owner.call({ method: 'DELETE', path })).status, 204);
    assert.equal((await owner.call({ method: 'GET', path })).status, 404);
    assert.equal((await owner.call({ method: 'DELETE', path })).status, 404);
    const { json } = await owner.call({ method: 'GET', path: '/v1/audit?limit=3' });
    const entries = at(json, 'entries');
    assert.ok(Array.isArray(entries));
    assert.deepEqual(
      entries.map(({ event }) => event),
      ['budget.deleted', 'budget.changed', 'budget.created'],
    );
  });

  test('are listed by how near they are to their limit, page by page', async () => {
    const { owner, key } = await setUp();
    const ids: string[] = [];
    for (const limit of ['100', '0.01', '1'])
      ids.push(await makeBudget(owner, { scope: 'organization', limit_usd: limit }));
    assert.equal((await ask(cloud.url, key)).status, 200);
    const listed: unknown[] = [];
    let after: unknown = null;
    do {
      const query = after === null ? '' : `&after=${after}`;
      const { json } = await owner.call({ method: 'GET', path: `${budgetsPath}?limit=2${query}` });
      assert.equal(json.total, 3);
      const page = at(json, 'budgets');
      assert.ok(Array.isArray(page));
      listed.push(...page.map(({ id }) => id));
      after = json.next_cursor;
    } while (after !== null);
    assert.deepEqual(listed, [ids[1], ids[2], ids[0]]);
  });

  test('refuse what belongs to nobody or makes no sense', async () => {
    const { owner } = await setUp();
    const { keyId: foreign } = await setUp();
    const wrong: readonly (readonly [object, string])[] = [
      [{ scope: 'key' }, 'key_id'],
      [{ scope: 'key', key_id: foreign }, 'key_id'],
      [{ scope: 'project', project_id: 'none' }, 'project_id'],
      [{ scope: 'organization', tag: 'team' }, 'tag'],
      [{ scope: 'tag' }, 'tag'],
      [{ scope: 'tag', tag: '1' }, 'tag'],
      [{ scope: 'tag', tag: 'team', tag_value: 'a,b' }, 'tag_value'],
      [{ scope: 'organization', period: '32d' }, 'period'],
      [{ scope: 'organization', period: 'year' }, 'period'],
      [{ scope: 'organization', limit_usd: '0' }, 'limit_usd'],
      [{ scope: 'organization', limit_usd: '1e3' }, 'limit_usd'],
      [{ scope: 'organization', thresholds: [101] }, 'thresholds'],
    ];
    for (const [fields, param] of wrong) {
      const body = { name: 'Wrong', period: 'day', limit_usd: '1', ...fields };
      const { status, text, json } = await owner.call({ path: budgetsPath, body });
      assert.equal(status, 400, text);
      assert.ok(String(at(json, 'error', 'param') ?? at(json, 'error', 'message')).includes(param), text);
    }
  });

  test('can be read by members, and changed by administrators of their organization only', async () => {
    const { owner } = await setUp();
    const id = await makeBudget(owner, { scope: 'organization' });
    const viewer = await addMember(owner, 'viewer');
    const { owner: stranger } = await setUp();
    assert.equal((await readBudget(viewer, id)).share, 0);
    const path = `${budgetsPath}/${id}`;
    const change = { method: 'PATCH', path, body: { limit_usd: '1' } } as const;
    assert.deepEqual(
      [
        (await viewer.call(change)).status,
        (await stranger.call(change)).status,
        (await stranger.call({ method: 'GET', path })).status,
        (await stranger.call({ method: 'DELETE', path })).status,
      ],
      [403, 404, 404, 404],
    );
  });
});

describe('a hard budget', () => {
  test('of the organization holds for all of its keys, says which it is, and renews with its period', async () => {
    const { owner, key } = await setUp();
    const { key: other } = await makeKey(owner);
    const id = await makeBudget(owner, { name: 'All', scope: 'organization', limit_usd: oneCall });
    const first = await ask(cloud.url, key);
    assert.equal(first.status, 200, first.text);
    const before = fake.requests.length;
    const answer = await ask(cloud.url, other);
    assert.match(
      refusalOf(answer),
      /could cost [\d.]+ USD .* but only 0\.00079 USD of the budget "All", 0\.0009 USD a month for the organization, is left \(0\.00011 USD spent\); it renews at \d{4}-\d\d-01T00:00:00\.000Z/,
    );
    assert.match(String(at(answer.json, 'error', 'resets_at')), /-01T00:00:00\.000Z$/);
    assert.equal(fake.requests.length, before);
    assert.deepEqual(await spentOf(owner, id), { '': '0.00011' });
    // What was spent before the budget was made counts, too.
    const later = await makeBudget(owner, { scope: 'organization', period: '7d' });
    assert.deepEqual(await spentOf(owner, later), { '': '0.00011' });
  });

  test('of a key, a project, a tag or an end user leaves other calls alone', async () => {
    const { owner, key, keyId } = await setUp();
    const { json: project } = await owner.call({
      path: '/v1/organization/projects',
      body: { name: 'Search' },
    });
    const { key: projectKey } = await makeKey(owner, { projectId: project.id });
    const { key: other } = await makeKey(owner);
    const limited = { period: '24h', limit_usd: oneCall };
    const ids = [
      await makeBudget(owner, { ...limited, scope: 'key', key_id: keyId }),
      await makeBudget(owner, { ...limited, scope: 'project', project_id: project.id }),
      await makeBudget(owner, { ...limited, scope: 'tag', tag: 'team', tag_value: 'search' }),
      await makeBudget(owner, { ...limited, scope: 'end_user', end_user: 'ada' }),
    ];
    const limitedCalls = [
      () => ask(cloud.url, key),
      () => ask(cloud.url, projectKey),
      () => ask(cloud.url, other, { tags: 'team=search' }),
      () => ask(cloud.url, other, { endUser: 'ada' }),
    ];
    const texts = [
      /for this API key/,
      /for the project/,
      /0\.0009 USD in 24 hours for team=search/,
      /end user user-/,
    ];
    for (const [index, limitedCall] of limitedCalls.entries()) {
      assert.equal((await limitedCall()).status, 200);
      assert.match(refusalOf(await limitedCall()), texts[index] ?? /^$/);
      assert.deepEqual(await spentOf(owner, ids[index] ?? ''), { '': '0.00011' });
    }
    for (const options of [{}, { tags: 'team=ads' }, { endUser: 'ben' }])
      assert.equal((await ask(cloud.url, other, options)).status, 200);
  });

  test('for each end user or value of a tag limits each by itself, and calls without one not at all', async () => {
    const { owner, key } = await setUp();
    const users = await makeBudget(owner, { scope: 'end_user', limit_usd: oneCall });
    const teams = await makeBudget(owner, { scope: 'tag', tag: 'team', limit_usd: oneCall });
    for (const endUser of ['ada', 'ben']) {
      assert.equal((await ask(cloud.url, key, { endUser })).status, 200);
      refusalOf(await ask(cloud.url, key, { endUser }));
    }
    for (const tags of ['team=search', 'team=ads']) {
      assert.equal((await ask(cloud.url, key, { tags })).status, 200);
      refusalOf(await ask(cloud.url, key, { tags }));
    }
    for (let calls = 0; calls < 3; calls++) assert.equal((await ask(cloud.url, key)).status, 200);
    assert.deepEqual(Object.values(await spentOf(owner, users)), ['0.00011', '0.00011']);
    assert.deepEqual(await spentOf(owner, teams), { search: '0.00011', ads: '0.00011' });
  });

  test('can’t be passed by a pipeline in a header or of a key, and the tightest wins', async () => {
    const { owner } = await setUp();
    const { key } = await makeKey(owner, { pipelineConfig: 'cost-guard?day=5' });
    await makeBudget(owner, { name: 'Wide', scope: 'organization', limit_usd: '1' });
    await makeBudget(owner, { name: 'Tight', scope: 'organization', period: 'day', limit_usd: oneCall });
    assert.equal((await ask(cloud.url, key, { pipeline: 'exact-cache' })).status, 200);
    for (const pipeline of ['', 'cost-guard?assume_output=1&unknown=allow', 'cost-guard?budgets=warning'])
      assert.match(refusalOf(await ask(cloud.url, key, { pipeline })), /the budget "Tight"/);
    assert.match(
      refusalOf(await ask(cloud.url, key, { pipeline: 'cost-guard?day=0.0001' })),
      /of the day's 0\.0001 USD/,
    );
  });

  test('that is changed or deleted holds at once', async () => {
    const { owner, key } = await setUp();
    const id = await makeBudget(owner, { scope: 'organization', limit_usd: oneCall });
    assert.equal((await ask(cloud.url, key)).status, 200);
    refusalOf(await ask(cloud.url, key));
    const path = `${budgetsPath}/${id}`;
    await owner.call({ method: 'PATCH', path, body: { mode: 'warning' } });
    assert.equal((await ask(cloud.url, key)).status, 200);
    assert.deepEqual(await spentOf(owner, id), { '': '0.00022' });
    await owner.call({ method: 'PATCH', path, body: { mode: 'hard' } });
    refusalOf(await ask(cloud.url, key));
    await owner.call({ method: 'DELETE', path });
    assert.equal((await ask(cloud.url, key)).status, 200);
  });

  test('near its limit has a header in responses', async () => {
    const { owner, key } = await setUp();
    await makeBudget(owner, {
      scope: 'tag',
      tag: 'team',
      period: '31d',
      limit_usd: '0.00013',
      mode: 'warning',
    });
    await ask(cloud.url, key, { tags: 'team=search' });
    const { headers } = await ask(cloud.url, key, { tags: 'team=search' });
    assert.equal(headers['x-weir-cost-warning'], 'team.rolling=84%');
  });
});

describe('every way to spend money', () => {
  /** Refused by a budget that has no room, and let through by one that only warns. */
  async function assertLimited(send: (key: string) => Promise<RawAnswer>): Promise<void> {
    const { owner, key } = await setUp();
    const id = await makeBudget(owner, { scope: 'organization', limit_usd: '0.000000001' });
    const before = fake.requests.length;
    refusalOf(await send(key));
    assert.equal(fake.requests.length, before);
    const path = `${budgetsPath}/${id}`;
    await owner.call({ method: 'PATCH', path, body: { mode: 'warning' } });
    const answer = await send(key);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(fake.requests.length, before + 1);
  }
  const headersFor = (key: string, provider = 'sk-tests') => [...bearer(key), 'x-provider-key', provider];

  test('is limited: streams', () =>
    assertLimited((key) =>
      call(cloud.url, {
        path: '/v1/messages',
        headers: headersFor(key, 'sk-ant-tests'),
        body: { ...haiku, stream: true },
      }),
    ));

  test('is limited: embeddings', async () => {
    const usage = { prompt_tokens: 1, total_tokens: 1 };
    fake.answerWith({ body: { object: 'list', model: 'text-embedding-3-small', data: [], usage } });
    await assertLimited((key) =>
      call(cloud.url, {
        path: '/v1/embeddings',
        headers: headersFor(key),
        body: { model: 'text-embedding-3-small', input: 'Hi' },
      }),
    );
    fake.answerWith(saysMessage(recordedMessage()));
  });

  test('is limited: calls that are passed through', async () => {
    fake.answerWith({ body: { found: true } });
    await assertLimited((key) =>
      call(cloud.url, {
        path: '/openai/vector_stores/vs_1/search',
        headers: headersFor(key),
        body: { query: 'Hi' },
      }),
    );
    fake.answerWith(saysMessage(recordedMessage()));
  });
});

test('a budget that only warns refuses nothing, whatever it costs, and raises each alert once', async (t) => {
  const receiver = await WebhookReceiver.start(t);
  const { url } = await startCloud(t, {
    WEIR_ANTHROPIC_BASE_URL: fake.url,
    WEIR_EGRESS_ALLOW: `webhooks=${receiver.url}`,
  });
  const { owner, key } = await setUp(url);
  const events = ['budget.threshold', 'budget.exceeded'];
  const webhook = await owner.call({ path: '/v1/webhooks', body: { url: receiver.url, events } });
  assert.equal(webhook.status, 201, webhook.text);
  const mode = { mode: 'warning', limit_usd: '0.00025' };
  await makeBudget(owner, {
    ...mode,
    name: 'Soft',
    scope: 'organization',
    period: '24h',
    thresholds: [40, 100],
  });
  await makeBudget(owner, { ...mode, name: 'Each', scope: 'tag', tag: 'team', thresholds: [80] });
  for (let calls = 0; calls < 6; calls++)
    assert.equal((await ask(url, key, { tags: 'team=search' })).status, 200);
  // A model without a price is not refused, either.
  const unpriced = await call(url, {
    path: '/v1/messages',
    headers: [...bearer(key), 'x-provider-key', 'sk-ant-tests'],
    body: { ...haiku, model: 'anthropic/claude-unheard-of' },
  });
  assert.equal(unpriced.status, 200, unpriced.text);
  await eventually(() => (receiver.messages.length >= 3 ? true : undefined));
  const told = receiver.messages.map(({ json }) => {
    const { budget_name, threshold, window, scope, mode: kind, tag } = fieldsOf(json.data);
    return [json.type, budget_name, threshold, window, scope, kind, tag === null ? null : at(tag, 'value')];
  });
  assert.deepEqual(told.toSorted(), [
    ['budget.threshold', 'Each', 80, 'month', 'tag', 'warning', 'search'],
    ['budget.threshold', 'Soft', 100, '24h', 'organization', 'warning', null],
    ['budget.threshold', 'Soft', 40, '24h', 'organization', 'warning', null],
  ]);
  assert.match(
    String(receiver.messages[0]?.json.message),
    /^\d+ % of the budget "(Soft|Each)".* is spent: .* Calls go on: the budget only warns\./,
  );
});
