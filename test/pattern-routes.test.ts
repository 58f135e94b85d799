import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';
import { messages as format } from './support/formats.ts';
import { shareScriptedGateways } from './support/scripted-gateway.ts';

const enter = shareScriptedGateways();
const pattern = { trigger: 'deploying to staging', advice: 'Run the migrations first.' };

describe('patterns of a local gateway', () => {
  test('are made, looked at, changed and forgotten', async () => {
    const { url } = (await enter()).weir;
    const made = await call(url, { path: '/v1/patterns', body: pattern });
    assert.equal(made.status, 201, made.text);
    const { id, createdAt, updatedAt, ...rest } = made.json;
    assert.deepEqual(rest, {
      ...pattern,
      state: 'active',
      origin: 'person',
      scope: null,
      wins: 0,
      losses: 0,
      evidence: [],
    });
    const path = `/v1/patterns/${String(id)}`;
    const again = await call(url, {
      path: '/v1/patterns',
      body: { ...pattern, advice: 'run the migrations first' },
    });
    assert.deepEqual([again.status, again.json.id], [200, id]);

    const trigger = { text: 'deploying', tools: ['deploy'], models: ['claude-*'] };
    const changed = await call(url, { method: 'PATCH', path, body: { trigger, state: 'retired' } });
    assert.deepEqual([changed.json.trigger, changed.json.state], [trigger, 'retired']);
    const { json: story } = await call(url, { path });
    assert.deepEqual(at(story, 'worth', 'with', 'mean'), 0.5);
    assert.equal(at(story, 'worth', 'helps'), 0.5);
    assert.match(String(at(story, 'story', 1, 'what')), /person/);

    assert.equal((await call(url, { method: 'DELETE', path })).status, 204);
    for (const method of ['GET', 'PATCH', 'DELETE'])
      assert.equal((await call(url, { method, path, ...(method === 'PATCH' && { body: {} }) })).status, 404);
  });

  test('that contradict each other say so, and which one is used', async () => {
    const { url } = (await enter()).weir;
    const made: unknown[] = [];
    for (const advice of ['Use tabs for indentation.', 'Use spaces for indentation.']) {
      const { json } = await call(url, {
        path: '/v1/patterns',
        body: { trigger: 'indenting lines', advice },
      });
      made.push(json.id);
    }
    const [tabs, spaces] = made;
    const { json: story } = await call(url, { path: `/v1/patterns/${String(tabs)}` });
    assert.deepEqual(story.conflicts, [{ id: spaces, advice: 'Use spaces for indentation.', is_used: true }]);
    const { json: page } = await call(url, { path: '/v1/patterns?q=indentation' });
    assert.deepEqual(at(page, 'patterns', 0, 'conflicts'), [
      { id: tabs, advice: 'Use tabs for indentation.', is_used: false },
    ]);
  });

  test('are found page by page and by words, and go out and in as JSON lines', async () => {
    const { url } = (await enter()).weir;
    const lines = Array.from({ length: 7 }, (_, number) =>
      JSON.stringify({ trigger: { tools: [`tool_${number}`] }, advice: `Advice number ${number}: be kind.` }),
    );
    const headers = ['content-type', 'application/x-ndjson'];
    const imported = await call(url, { path: '/v1/patterns/import', headers, body: `${lines.join('\n')}\n` });
    assert.deepEqual(imported.json, { added: 7, known: 0 });
    const seen: unknown[] = [];
    for (let after: unknown = null; ; ) {
      const more = after === null ? '' : `&after=${String(after)}`;
      const { json } = await call(url, { path: `/v1/patterns?q=kind&limit=3${more}` });
      seen.push(...Object(json.patterns));
      after = json.next;
      if (after === null) break;
    }
    assert.deepEqual(
      seen.map((one) => at(one, 'trigger', 'tools', 0)),
      [6, 5, 4, 3, 2, 1, 0].map((number) => `tool_${number}`),
    );
    const found = await call(url, { path: '/v1/patterns?q=KIND%20number%203' });
    assert.equal(Object(found.json.patterns).length, 1);
    const { text } = await call(url, { path: '/v1/patterns/export' });
    const back = await call(url, { path: '/v1/patterns/import', headers, body: text });
    assert.equal(back.json.added, 0);
    assert.ok(Number(back.json.known) >= 7);
    const bad = await call(url, { path: '/v1/patterns/import', headers, body: `${lines[0]}\n{"advice":1}` });
    assert.equal(bad.status, 400);
    assert.match(bad.text, /line 2/);
  });

  for (const [what, body] of Object.entries({
    'an advice that is empty': { ...pattern, advice: '' },
    'an advice that is too long': { ...pattern, advice: 'x'.repeat(2001) },
    'no trigger': { advice: 'x' },
    'a trigger without a text and tools': { trigger: { models: ['a'] }, advice: 'x' },
    'a state that there isn’t': { ...pattern, state: 'great' },
    'wins of its own': { ...pattern, wins: 100 },
  }))
    test(`are not made with ${what}`, async () => {
      const { url } = (await enter()).weir;
      assert.equal((await call(url, { path: '/v1/patterns', body })).status, 400);
    });

  test('are not made without a trigger, and the refusal says what is needed', async () => {
    const { url } = (await enter()).weir;
    const { json } = await call(url, { path: '/v1/patterns', body: { advice: 'x' } });
    assert.match(String(at(json, 'error', 'message')), /^trigger: must be a text, or an object/);
  });

  test('outcomes are for calls that were made', async () => {
    const { fake, weir } = await enter();
    fake.answerWith({ body: format.whole('Hello.') });
    const body = { model: format.model, max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] };
    const made = await call(weir.url, { path: format.path, body });
    const tell = (more: object) =>
      call(weir.url, { path: '/v1/outcomes', body: { outcome: 'success', ...more } });
    const told = await tell({ request_id: made.headers['x-request-id'] });
    assert.deepEqual([told.status, told.json], [202, { accepted: true }]);
    assert.equal((await tell({ request_id: `req_${'0'.repeat(32)}` })).status, 404);
    assert.equal((await tell({ conversation: 'unheard-of' })).status, 404);
    assert.equal((await tell({})).status, 400);
    assert.equal((await tell({ request_id: 'x', conversation: 'y' })).status, 400);
    assert.equal((await tell({ conversation: 'y', score: 2 })).status, 400);
    assert.equal((await tell({ conversation: 'y', note: 'x'.repeat(2001) })).status, 400);
  });
});

test('nobody sees, changes or judges what belongs to another account', async (t) => {
  const { url } = await startCloud(t);
  const [ada, eve] = [await Person.signUp(url), await Person.signUp(url)];
  const { key } = await ada.makeKey();
  const made = await call(url, { path: '/v1/patterns', headers: bearer(key), body: pattern });
  assert.equal(made.status, 201, made.text);
  const path = `/v1/patterns/${String(made.json.id)}`;
  assert.equal((await ada.call({ path })).status, 200);
  assert.equal((await eve.call({ path })).status, 404);
  assert.equal((await eve.call({ method: 'PATCH', path, body: { advice: 'Delete all.' } })).status, 404);
  assert.equal((await eve.call({ method: 'DELETE', path })).status, 404);
  assert.deepEqual((await eve.call({ path: '/v1/patterns' })).json, { patterns: [], next: null });
  assert.equal((await eve.call({ path: '/v1/patterns/export' })).text, '');
  for (const open of [path, '/v1/patterns', '/v1/patterns/export'])
    assert.equal((await call(url, { path: open })).status, 401);
});
