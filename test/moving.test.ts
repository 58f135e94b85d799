import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Environment } from '../src/gateway/settings.ts';
import type { JsonObject } from '../src/lib/json.ts';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { call, type RawAnswer } from './support/call.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { messages as format } from './support/formats.ts';
import { fillAccount, forge, sectionsOf } from './support/moving.ts';
import { replicaSettings } from './support/replicas.ts';
import { upgradeFixture, upgradeSecret } from './support/upgrade-fixtures.ts';
import { emptyFolder } from './support/weir-process.ts';

interface Instance {
  readonly environment: Environment;
  readonly accountId: string;
  readonly scope: string;
  readonly url: string;
  readonly log: readonly string[];
  ask(
    method: string,
    path: string,
    body?: object | Uint8Array,
    headers?: readonly string[],
  ): Promise<RawAnswer>;
}

async function local(t: TestContext, more: Environment = {}): Promise<Instance> {
  const environment = { WEIR_DATA_DIR: emptyFolder(t), ...more };
  const gateway = await startTestGateway(environment);
  t.after(() => gateway.close());
  const ask: Instance['ask'] = (method, path, body, headers = []) =>
    call(gateway.url, { method, path, headers, ...(body !== undefined && { body }) });
  return { environment, accountId: 'local', scope: 'local', url: gateway.url, log: gateway.logLines, ask };
}

async function cloud(t: TestContext, more: Environment = {}): Promise<Instance> {
  const environment = { WEIR_MODE: 'cloud', WEIR_DATA_DIR: emptyFolder(t), ...more };
  const { url, logLines } = await startCloud(t, environment);
  return anotherAccount({ environment, url, log: logLines });
}

async function anotherAccount({
  environment,
  url,
  log,
}: Pick<Instance, 'environment' | 'url' | 'log'>): Promise<Instance> {
  const person = await Person.signUp(url);
  const ask: Instance['ask'] = (method, path, body, headers = []) =>
    call(url, {
      ...{ method, path, headers: [...bearer(person.token), ...headers] },
      ...(body !== undefined && { body }),
    });
  return { environment, accountId: person.id, scope: `account:${person.id}`, url, log, ask };
}

const passphrase = ['x-weir-passphrase', 'a passphrase of some length'];
const all = '?sections=settings,prompts,patterns,archive,conversations,modules,provider_keys,usage,log';

async function exportOf(instance: Instance, query = all): Promise<Buffer> {
  const { status, bytes, text } = await instance.ask('GET', `/v1/export${query}`, undefined, passphrase);
  assert.equal(status, 200, text + instance.log.slice(-3).join(''));
  return bytes;
}

async function importInto(instance: Instance, file: Uint8Array, query = ''): Promise<RawAnswer> {
  const answer = await instance.ask('POST', `/v1/import${query}`, file, passphrase);
  assert.notEqual(answer.status, 500, instance.log.slice(-3).join(''));
  return answer;
}

/** What people set up by hand. */
async function setUp(instance: Instance): Promise<void> {
  const done = [
    await instance.ask('PUT', '/v1/configurations/exact-cache/short', { ttl: '5m' }),
    await instance.ask('POST', '/v1/patterns', { trigger: 'a failing build', advice: 'Read the log first.' }),
    await instance.ask('PUT', '/v1/byok/openai', { key: 'sk-test-1234567890abcdef' }),
    await instance.ask('POST', '/v1/prompts', {
      name: 'greeting',
      system: 'Greet {{name}}.',
      labels: ['prod'],
    }),
    await instance.ask('POST', '/v1/prompts/greeting/versions', {
      system: 'Greet {{name}} well.',
      note: 'kinder',
    }),
  ];
  for (const { status, text } of done) assert.ok(status < 300, text);
}

/** An API key with all access rules. */
async function makeLimitedKey(
  instance: Instance,
): Promise<{ readonly id: string; readonly rules: JsonObject }> {
  const { json } = await instance.ask('POST', '/v1/keys', { name: 'limited' });
  const id = String(json.id);
  const rules = {
    ...{
      models: ['gpt-*'],
      providers: ['openai'],
      tools: ['github__*'],
      pipelines: ['exact-cache'],
      addresses: ['203.0.113.0/24'],
    },
    ...{ expires_at: '2100-01-01T00:00:00.000Z', end_user: 'ann' },
  };
  const set = await instance.ask('PUT', `/v1/keys/${id}/access`, rules);
  assert.equal(set.status, 200, set.text);
  return { id, rules };
}

function totals({ json }: RawAnswer, what: string): number {
  const { sections } = json;
  assert.ok(Array.isArray(sections));
  return sections.reduce((sum, section) => sum + Number(section[what]), 0);
}

test('an account moves', async (t) => {
  const there = await cloud(t, await replicaSettings(t));

  for (const [from, start] of [
    ['a local gateway', local],
    ['an account on SQLite', cloud],
  ] as const)
    await t.test(`from ${from} to an account on PostgreSQL and back, line by line`, async (t) => {
      const one = await start(t);
      const target = await anotherAccount(there);
      await setUp(one);
      const key = one.accountId === 'local' ? undefined : await makeLimitedKey(one);
      const { archiveRef } = await fillAccount(one.environment, one);
      const first = await exportOf(one);
      const dry = await importInto(target, first, '?dry_run=1');
      assert.equal(dry.status, 200, dry.text);
      assert.equal(sectionsOf(await exportOf(target)).log?.length, 0);
      const moved = await importInto(target, first);
      assert.equal(moved.status, 200, moved.text);
      assert.deepEqual([totals(moved, 'refused'), totals(moved, 'conflicts')], [0, 0], moved.text);
      assert.equal(totals(dry, 'added'), totals(moved, 'added'));
      const again = await importInto(target, first);
      assert.deepEqual(
        [totals(again, 'added'), totals(again, 'unchanged')],
        [0, totals(moved, 'added')],
        again.text,
      );
      const archived = await target.ask('GET', `/v1/archive/${archiveRef}`);
      assert.equal(archived.status, 200, archived.text);
      const variables = { name: 'Ann' };
      const rendered = await target.ask('POST', '/v1/prompts/greeting/render', {
        label: 'prod',
        variables,
      });
      assert.equal(rendered.json.system, 'Greet Ann.', rendered.text);
      if (key !== undefined)
        assert.deepEqual((await target.ask('GET', `/v1/keys/${key.id}/access`)).json, key.rules);
      const second = await exportOf(target);
      const back = await start(t);
      const returned = await importInto(back, second);
      assert.equal(returned.status, 200, returned.text);
      const third = await exportOf(back);
      const [a, b, c] = [withoutKeys(first), withoutKeys(second), withoutKeys(third)];
      assert.ok((a.log?.length ?? 0) > 20);
      assert.equal(a.prompts?.length, 3);
      assert.deepEqual(b, a);
      assert.deepEqual(c, a);
      assert.ok(gunzipSync(third).includes('"close":"export"'));
    });

  await t.test('and its conversations go on as they were: recall finds what was left out', async (t) => {
    const fake = await FakeUpstream.start();
    t.after(() => fake.close());
    const provider = { WEIR_ANTHROPIC_BASE_URL: fake.url, WEIR_EMBEDDINGS: 'off' };
    const talk = ({ url }: Instance, messages: readonly object[], credential: readonly string[] = []) =>
      call(url, {
        path: '/v1/messages',
        headers: [
          ...['x-weir-pipeline', 'ipc?target=2000&keep_turns=2&holdout=0', 'x-weir-conversation', 'harbours'],
          ...['x-provider-key', 'sk-ant-api03-of-the-test', ...credential],
        ],
        body: { model: format.model, max_tokens: 100, messages },
      });
    const said = Array.from({ length: 121 }, (_, turn) => ({
      role: turn % 2 === 0 ? 'user' : 'assistant',
      content:
        turn === 120
          ? 'How many boats has town 130?'
          : `Turn ${turn}: the harbour of town ${turn * 13} has ${turn * 7} boats, and somebody counted them twice.`,
    }));
    const one = await local(t, provider);
    fake.answerWith({ body: format.whole('Yes.') });
    assert.equal((await talk(one, said)).status, 200);
    const before = String(at(fake.requests[0]?.json, 'messages', 0, 'content', 0, 'text'));
    const ref = /the whole is kept as (\w+)/.exec(before)?.[1] ?? assert.fail(before);
    const file = await eventually(async () => {
      const exported = await exportOf(one, '?sections=archive,conversations');
      return gunzipSync(exported).includes(ref) ? exported : undefined;
    });
    const other = await cloud(t, provider);
    assert.equal((await importInto(other, file)).status, 200);
    fake.requests.length = 0;
    const use = { type: 'tool_use', id: 'recall_1', name: 'recall', input: { ref, query: 'town 130' } };
    fake.answerWith(({ bytes }) => ({
      body: bytes.includes('recall_1')
        ? format.whole('It has 70.')
        : { ...format.whole(''), content: [use], stop_reason: 'tool_use' },
    }));
    const { json: key } = await other.ask('POST', '/v1/keys', {});
    const answer = await talk(other, said, bearer(String(key.key)));
    assert.equal(answer.status, 200, answer.text);
    const [continued, recalled] = fake.requests;
    assert.equal(String(at(continued?.json, 'messages', 0, 'content', 0, 'text')), before);
    const result = JSON.stringify(at(recalled?.json, 'messages')).split('tool_result')[1];
    assert.match(String(result), /Turn 10: the harbour of town 130 has 70 boats/);
    assert.equal((await other.ask('GET', `/v1/archive/${ref}`)).status, 200);
  });

  await t.test(
    'with prompts: one of the same name and other versions stays as it is, and labels follow their versions',
    async (t) => {
      const one = await local(t);
      await setUp(one);
      const file = await exportOf(one);
      const other = await anotherAccount(there);
      await other.ask('POST', '/v1/prompts', { name: 'greeting', system: 'Say nothing.' });
      const before = withoutKeys(await exportOf(other)).prompts;
      for (const query of ['', '?on_conflict=replace']) {
        const answer = await importInto(other, file, query);
        assert.match(answer.text, /the account has another prompt of this name/);
        assert.match(answer.text, /does not have the version that it points to/);
        assert.deepEqual(withoutKeys(await exportOf(other)).prompts, before);
      }
      const moved = forge(file, (row) => [row.table === 'prompt_labels' ? { ...row, version: 2 } : row]);
      assert.equal(totals(await importInto(one, moved), 'conflicts'), 1);
      assert.equal(totals(await importInto(one, moved, '?on_conflict=replace'), 'replaced'), 1);
      const rendered = await one.ask('POST', '/v1/prompts/greeting/render', {
        label: 'prod',
        variables: { name: 'Ann' },
      });
      assert.equal(rendered.json.system, 'Greet Ann well.', rendered.text);
    },
  );
});

test('a database of the last release exports', async (t) => {
  const { sql, facts } = upgradeFixture('sqlite');
  const folder = emptyFolder(t);
  const database = new DatabaseSync(join(folder, 'weir.db'));
  database.exec(sql);
  database.close();
  const { url } = await startCloud(t, { WEIR_DATA_DIR: folder, WEIR_SECRET: upgradeSecret });
  const { email, password } = facts;
  const login = await call(url, { path: '/v1/users/login', body: { email, password } });
  const exported = await call(url, {
    path: `/v1/export${all}`,
    headers: [...bearer(String(login.json.token)), ...passphrase],
  });
  const sections = sectionsOf(exported.bytes);
  for (const name of ['settings', 'patterns', 'archive', 'provider_keys', 'usage', 'log'])
    assert.ok((sections[name]?.length ?? 0) > 0, name);
});

describe('a file', () => {
  test('that is truncated, changed, out of order or of another version changes nothing', async (t) => {
    const one = await local(t);
    await setUp(one);
    await fillAccount(one.environment, one);
    const file = gunzipSync(await exportOf(one));
    const there = await cloud(t);
    const before = withoutKeys(await exportOf(there));
    const lines = file.toString('utf8').trimEnd().split('\n');
    const at = Math.floor(lines.length / 2);
    const joined = (list: readonly string[]) => Buffer.from(`${list.join('\n')}\n`);
    const broken: Readonly<Record<string, Buffer>> = {
      empty: Buffer.from(''),
      'no file of ours': Buffer.from('{"a":1}\n'),
      ...Object.fromEntries(
        Array.from({ length: 8 }, (_, number) => [
          `cut ${number}`,
          file.subarray(0, Math.floor(Math.random() * file.byteLength)),
        ]),
      ),
      'a row less': joined(lines.filter((_, index) => index !== at)),
      'a row twice': joined(lines.flatMap((line, index) => (index === at ? [line, line] : [line]))),
      reordered: joined([
        ...lines.slice(0, at),
        lines[at + 1] ?? '',
        lines[at] ?? '',
        ...lines.slice(at + 2),
      ]),
      edited: Buffer.from(file.toString('utf8').replace('gpt-6', 'gpt-7')),
      'of another version': Buffer.from(file.toString('utf8').replace('"version":1', '"version":2')),
      'with more behind it': Buffer.concat([file, Buffer.from('{}\n')]),
      'twice in order': forge(await exportOf(one), (row) => (row.table === 'requests' ? [row, row] : [row])),
    };
    for (const [name, bytes] of Object.entries(broken)) {
      const { status, json, text } = await importInto(there, bytes);
      assert.equal(status, 422, `${name}: ${text}`);
      assert.equal(String(Object(json.error).message).includes('\n'), false);
    }
    assert.deepEqual(withoutKeys(await exportOf(there)), before);
  });

  test('brings nothing that its sender could not have', async (t) => {
    const one = await local(t);
    await setUp(one);
    await fillAccount(one.environment, one);
    const file = await exportOf(one);
    const there = await cloud(t);
    await importInto(there, file);
    const owned = withoutKeys(await exportOf(there));
    const asOther = await anotherAccount(there);
    const taken = await importInto(asOther, file, '?on_conflict=replace');
    assert.equal(taken.status, 200, taken.text);
    assert.match(taken.text, /its id belongs to another account/);
    assert.deepEqual(withoutKeys(await exportOf(there)), owned);
    const hostile: readonly ((row: Record<string, unknown>) => object)[] = [
      (row) => (row.table === 'requests' ? { ...row, account_id: there.accountId } : row),
      (row) => (row.table === 'requests' ? { ...row, id: `req_${'f'.repeat(32)}` } : row),
      (row) => ('cost_nano_usd' in row ? { ...row, cost_nano_usd: 2 ** 53 } : row),
      (row) => ('requests' in row ? { ...row, requests: -1 } : row),
      (row) => ('steps' in row ? { ...row, steps: '{' } : row),
      (row) => (row.table === 'collection_entries:archive' ? { ...row, expires_at_ms: null } : row),
      (row) => (row.table === 'collection_entries:archive' ? { ...row, module: 'unknown' } : row),
      (row) => (row.table === 'configurations' ? { ...row, content: '{"ttl":"never"}' } : row),
    ];
    const asThird = await anotherAccount(there);
    for (const [index, change] of hostile.entries()) {
      const answer = await importInto(
        asThird,
        forge(file, (row) => [change(row)]),
        '?dry_run=1',
      );
      assert.ok(answer.status === 422 || totals(answer, 'refused') > 0, `${index}: ${answer.text}`);
    }
    assert.deepEqual(withoutKeys(await exportOf(there)), owned);
  });

  test('that an account has other rows of reports conflicts, and replaces only where that is asked for', async (t) => {
    const one = await local(t);
    await setUp(one);
    await fillAccount(one.environment, one);
    const file = await exportOf(one);
    const lower = forge(file, (row) => [row.table === 'usage_days' ? { ...row, input_tokens: 1 } : row]);
    const refused = await importInto(one, lower, '?on_conflict=replace');
    assert.match(refused.text, /it would lower what is counted here/);
    const higher = forge(file, (row) => [row.table === 'usage_days' ? { ...row, input_tokens: 50 } : row]);
    const kept = await importInto(one, higher);
    assert.deepEqual([totals(kept, 'conflicts'), totals(kept, 'replaced')], [2, 0], kept.text);
    const replaced = await importInto(one, higher, '?on_conflict=replace');
    assert.deepEqual([totals(replaced, 'conflicts'), totals(replaced, 'replaced')], [0, 2], replaced.text);
    assert.deepEqual(withoutKeys(await exportOf(one)).usage, sectionsOf(higher).usage);
  });
});

/** The encryption of provider keys differs each time. */
function withoutKeys(file: Uint8Array): Readonly<Record<string, readonly string[]>> {
  const { provider_keys, ...sections } = sectionsOf(file);
  return { ...sections, provider_keys: [String(provider_keys?.length)] };
}
