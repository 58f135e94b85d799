import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { call, openCall, StreamReader } from './support/call.ts';
import { eventually } from './support/eventually.ts';
import { formatAt, requestIn, streamIn } from './support/formats.ts';
import { shareGatewaysWithHandler } from './support/scripted-gateway.ts';

/** A stream without `alt=sse` is a list, whose answers come one by one. */
const play = shareGatewaysWithHandler();
const gemini = formatAt('/v1beta/models/gemini-2.5-flash:generateContent');
const path = '/v1beta/models/gemini-2.5-flash:streamGenerateContent';
const body = requestIn(gemini, true);
const eventStream = { 'content-type': 'text/event-stream' };
const silent = { WEIR_KEEP_ALIVE: '50ms' };

for (const model of ['gemini-2.5-flash', 'claude-sonnet-4-5'])
  test(`each answer of a list comes when it is said (${model})`, async () => {
    const { promise: provider, resolve } = Promise.withResolvers<ServerResponse>();
    let asked = '';
    const weir = await play(({ url = '' }, res) => {
      asked = url;
      const { start, content } = formatAt(url);
      res.writeHead(200, eventStream).write(start.join('') + content('one'));
      resolve(res);
    }, silent);
    const way = path.replace('gemini-2.5-flash', model);
    const reader = new StreamReader(await openCall(weir.url, { path: way, body }).response);
    const res = await provider;
    const { content, end } = formatAt(asked);
    await eventually(() => /^\s*\[.*"one".*\}\s*\n$/s.test(reader.text) || undefined);
    res.write(content('two'));
    await eventually(() => /"two"/.test(reader.text) || undefined);
    assert.throws(() => JSON.parse(reader.text));
    res.end(end.join(''));
    await eventually(() => reader.ended || undefined);
    const list: unknown = JSON.parse(reader.text);
    assert.ok(Array.isArray(list));
    const texts = list.flatMap((each) => each.candidates[0].content.parts[0]?.text || []);
    assert.deepEqual([texts, list.at(-1).candidates[0].finishReason], [['one', 'two'], 'STOP']);
    assert.equal(reader.response.headers['content-type'], 'application/json; charset=UTF-8');
    if (model.startsWith('gemini')) assert.equal(asked, `${path}?alt=sse`);
  });

test('a list that breaks off, or that its provider breaks off, is a list with the error at its end', async () => {
  for (const { rest, code } of [
    { rest: 'data: {"candidates":[{"con', code: 502 },
    { rest: gemini.errorEvent, code: 503 },
  ]) {
    const weir = await play((_, res) => {
      res.writeHead(200, eventStream);
      res.end(gemini.start.join('') + gemini.content('one') + rest);
    });
    const { status, text } = await call(weir.url, { path: `${path}?$alt=json;enum-encoding=int`, body });
    const list: unknown = JSON.parse(text);
    assert.ok(Array.isArray(list));
    assert.deepEqual([status, list.length, list.at(-1).error.code], [200, 3, code]);
  }
});

test('a client that leaves in the middle of a list ends the call, and an error before it is none', async () => {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  const weir = await play((_, res) => {
    res.on('close', leave);
    res.writeHead(200, eventStream).write(gemini.start.join('') + gemini.content('one'));
  });
  const { request, response } = openCall(weir.url, { path, body });
  const reader = new StreamReader(await response);
  reader.response.on('error', () => undefined);
  await eventually(() => reader.text.includes('one') || undefined);
  request.destroy();
  await left;
  await play((_, res) => void res.writeHead(429).end('{"error":{"code":429}}'));
  const refused = await call(weir.url, { path, body });
  assert.deepEqual([refused.status, refused.json], [429, { error: { code: 429 } }]);
});

test('a list and one answer are kept apart, and kept', async () => {
  let calls = 0;
  const weir = await play(({ url = '' }, res) => {
    calls++;
    if (url.includes(':stream')) res.writeHead(200, eventStream).end(streamIn(gemini, 'one'));
    else res.end(JSON.stringify(gemini.whole('one')));
  });
  const asked = { headers: ['x-weir-pipeline', 'exact-cache'], body: { ...body, cachedContent: 'c' } };
  const ask = async (way: string) => JSON.parse((await call(weir.url, { path: way, ...asked })).text);
  for (const _ of [1, 2]) {
    assert.equal(Array.isArray(await ask(path)), true);
    assert.equal(Array.isArray(await ask(gemini.path)), false);
  }
  assert.equal(calls, 2);
});
