import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GatewayError } from '../src/kernel/errors.ts';
import { systemClock } from '../src/lib/clock.ts';
import { CallMailbox } from '../src/mcp/upstream/call-mailbox.ts';
import { RpcError } from '../src/mcp/upstream/rpc-error.ts';
import { MemoryCacheBackend } from '../src/storage/memory/memory-cache-backend.ts';
import {
  connectTo,
  startRpcServer,
  startScriptedServer,
  startSessionServer,
  startStatelessServer,
} from './support/mcp-servers.ts';

const none = () => ({ signal: new AbortController().signal });
const colour = { action: 'accept', content: { color: 'red' } };

describe('a server of revision 2026-07-28', () => {
  test('is discovered, listed and called, with the headers that its definitions ask for', async (t) => {
    const server = await startStatelessServer(t);
    const connection = connectTo(t, server.url);
    const { era, protocolVersion, serverInfo } = await connection.describe(none());
    assert.deepEqual([era, protocolVersion, serverInfo.name], ['stateless', '2026-07-28', 'stateless']);
    const { items, leftOut } = await connection.list('tools', none());
    assert.deepEqual(
      items.map(({ name }) => name),
      ['weather', 'slow', 'ask'],
    );
    assert.deepEqual(leftOut, []);
    const result = await connection.request(
      'tools/call',
      { name: 'weather', arguments: { city: 'Zürich' } },
      none(),
    );
    assert.deepEqual(
      [result.resultType, result.content],
      ['complete', [{ type: 'text', text: 'rain in Zürich' }]],
    );
    const last = server.requests.at(-1);
    assert.equal(last?.headers['mcp-method'], 'tools/call');
    assert.equal(last?.headers['mcp-name'], 'weather');
    assert.equal(last?.headers['mcp-param-city'], '=?base64?WsO8cmljaA==?=');
    assert.equal(last?.headers['x-key'], 'secret');
    const { contents } = await connection.request('resources/read', { uri: 'file:///readme' }, none());
    assert.deepEqual(contents, [{ uri: 'file:///readme', text: 'read me' }]);
    assert.deepEqual((await connection.list('prompts', none())).items, []);
    await assert.rejects(connection.request('tools/call', { name: 'none', arguments: {} }, none()), RpcError);
  });

  test('asks for input, and goes on with the answer', async (t) => {
    const connection = connectTo(t, (await startStatelessServer(t)).url);
    const options = { ...none(), clientCapabilities: { elicitation: { form: {} } } };
    const asked = await connection.request('tools/call', { name: 'ask', arguments: {} }, options);
    assert.equal(asked.resultType, 'input_required');
    const again = {
      name: 'ask',
      arguments: {},
      inputResponses: { color: colour },
      requestState: asked.requestState,
    };
    const { content } = await connection.request('tools/call', again, options);
    assert.match(JSON.stringify(content), /red/);
  });

  test('is told of a cancelled call, and reports changes', async (t) => {
    const server = await startStatelessServer(t);
    const connection = connectTo(t, server.url);
    const cancelling = new AbortController();
    const call = connection.request(
      'tools/call',
      { name: 'slow', arguments: {} },
      { signal: cancelling.signal },
    );
    const isCalled = () => server.requests.some(({ body }) => body.includes('"slow"'));
    while (!isCalled()) await new Promise((resolve) => setImmediate(resolve));
    cancelling.abort(new Error('enough'));
    await assert.rejects(call, /enough/);
    await server.cancelled;
    const listening = new AbortController();
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const listens = connection.listen(
      { lists: ['tools'], resources: [] },
      { signal: listening.signal, onNotification: resolve },
    );
    const told = setInterval(() => server.notify.toolsChanged(), 5);
    assert.deepEqual(Object(await promise).method, 'notifications/tools/list_changed');
    clearInterval(told);
    listening.abort();
    await listens;
  });
});

describe('a server with sessions', () => {
  test('is initialized once, listed and called, with progress', async (t) => {
    const server = await startSessionServer(t);
    const connection = connectTo(t, server.url);
    const { era, protocolVersion } = await connection.describe(none());
    assert.deepEqual([era, protocolVersion], ['sessions', '2025-11-25']);
    const { items } = await connection.list('tools', none());
    assert.equal(items.length, 6);
    const result = await connection.request(
      'tools/call',
      { name: 'weather', arguments: { city: 'Rome' } },
      none(),
    );
    assert.deepEqual(
      [result.resultType, result.content],
      ['complete', [{ type: 'text', text: 'rain in Rome' }]],
    );
    const progress: unknown[] = [];
    const onNotification = (notification: unknown) => void progress.push(notification);
    await connection.request('tools/call', { name: 'count', arguments: {} }, { ...none(), onNotification });
    assert.equal(Object(progress[0]).method, 'notifications/progress');
    assert.equal(server.requests.filter(({ body }) => body.includes('"initialize"')).length, 1);
  });

  for (const tool of ['ask', 'ask-aside'])
    test(`asks its client through a result, and goes on with the answer: ${tool}`, async (t) => {
      const connection = connectTo(t, (await startSessionServer(t)).url);
      const options = { ...none(), clientCapabilities: { elicitation: {} } };
      const asked = await connection.request('tools/call', { name: tool, arguments: {} }, options);
      assert.equal(asked.resultType, 'input_required');
      const [[name, question] = []] = Object.entries(Object(asked.inputRequests));
      assert.equal(Object(question).method, 'elicitation/create');
      const { requestState } = asked;
      const again = { name: tool, arguments: {}, inputResponses: { [String(name)]: colour }, requestState };
      const { content } = await connection.request('tools/call', again, options);
      assert.match(JSON.stringify(content), /red/);
      await assert.rejects(
        connection.request('tools/call', again, options),
        /no call waits for these answers/,
      );
    });

  test('goes on with an answer that reaches another process', async (t) => {
    const { url } = await startSessionServer(t);
    const cache = new MemoryCacheBackend(systemClock);
    const mailboxOf = (account: string) => new CallMailbox(cache.cacheFor('acme'), account);
    const asker = connectTo(t, url, { mailbox: mailboxOf('ann') });
    const options = { ...none(), clientCapabilities: { elicitation: {} } };
    const ask = { name: 'ask', arguments: {} };
    const { requestState, inputRequests } = await asker.request('tools/call', ask, options);
    const [name = ''] = Object.keys(Object(inputRequests));
    const again = { ...ask, inputResponses: { [name]: colour }, requestState };
    const stranger = connectTo(t, url, { mailbox: mailboxOf('ben') });
    await assert.rejects(stranger.request('tools/call', again, options), /no call waits/);
    const other = connectTo(t, url, { mailbox: mailboxOf('ann') });
    const { content } = await other.request('tools/call', again, options);
    assert.match(JSON.stringify(content), /red/);
  });

  test('ends a call that goes on in another process when its client leaves', async (t) => {
    const server = await startSessionServer(t);
    const mailbox = new CallMailbox(new MemoryCacheBackend(systemClock).cacheFor('acme'), 'ann');
    const [asker, other] = [connectTo(t, server.url, { mailbox }), connectTo(t, server.url, { mailbox })];
    const clientCapabilities = { elicitation: {} };
    const ask = { name: 'ask-and-wait', arguments: {} };
    const { requestState, inputRequests } = await asker.request('tools/call', ask, {
      ...none(),
      clientCapabilities,
    });
    const [name = ''] = Object.keys(Object(inputRequests));
    const leaving = new AbortController();
    const again = { ...ask, inputResponses: { [name]: colour }, requestState };
    const call = other.request('tools/call', again, { signal: leaving.signal, clientCapabilities });
    await server.answered;
    leaving.abort(new Error('gone'));
    await assert.rejects(call, /gone/);
    await server.cancelled;
  });

  test('hears that a client can’t be asked', async (t) => {
    const connection = connectTo(t, (await startSessionServer(t)).url);
    const { content, isError } = await connection.request(
      'tools/call',
      { name: 'ask', arguments: {} },
      none(),
    );
    assert.equal(isError, true);
    assert.match(JSON.stringify(content), /no capability/);
  });

  test('begins a new session after it has lost one, and is told of a cancelled call', async (t) => {
    const server = await startSessionServer(t);
    const connection = connectTo(t, server.url);
    await connection.list('tools', none());
    server.sessions.clear();
    const { content } = await connection.request(
      'tools/call',
      { name: 'weather', arguments: { city: 'Oslo' } },
      none(),
    );
    assert.match(JSON.stringify(content), /Oslo/);
    const cancelling = new AbortController();
    const call = connection.request(
      'tools/call',
      { name: 'slow', arguments: {} },
      { signal: cancelling.signal },
    );
    while (!server.requests.some(({ body }) => body.includes('"slow"')))
      await new Promise((resolve) => setImmediate(resolve));
    cancelling.abort(new Error('enough'));
    await assert.rejects(call, /enough/);
    await server.cancelled;
  });

  test('reports changes of its lists', async (t) => {
    const server = await startSessionServer(t);
    const connection = connectTo(t, server.url);
    const listening = new AbortController();
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const listens = connection.listen(
      { lists: ['tools'], resources: [] },
      { signal: listening.signal, onNotification: resolve },
    );
    const told = setInterval(() => server.servers[0]?.sendToolListChanged(), 5);
    assert.equal(Object(await promise).method, 'notifications/tools/list_changed');
    clearInterval(told);
    listening.abort();
    await listens;
  });
});

describe('a hostile server', () => {
  const failed = (what: RegExp) => (error: unknown) =>
    GatewayError.is(error) && error.message.includes('"acme"') && what.test(error.message);

  test('with a list that has no end, or too many items, is an error that names it', async (t) => {
    const loop = await startScriptedServer(t, () => ({ tools: [], nextCursor: 'again' }));
    await assert.rejects(connectTo(t, loop.url).list('tools', none()), failed(/has no end of tools\/list/));
    let page = 0;
    const pages = await startScriptedServer(t, () => ({ tools: [], nextCursor: String(page++) }));
    await assert.rejects(connectTo(t, pages.url).list('tools', none()), failed(/more than 200/));
    const many = Array.from({ length: 6000 }, (_, at) => ({ name: `t${at}`, inputSchema: {} }));
    const huge = await startScriptedServer(t, () => ({ tools: many }));
    await assert.rejects(connectTo(t, huge.url).list('tools', none()), failed(/more than 5000 items/));
  });

  test('with names that break rules loses these tools, and no others', async (t) => {
    const inputSchema = { type: 'object' };
    const bad = ['a\u0000b', 'x'.repeat(300), '', 'turn\u202eed', 'good', 'line\nbreak'];
    const marked = { properties: { a: { type: 'object', 'x-mcp-header': 'A' } } };
    const tools = [
      { name: 'good', inputSchema },
      ...bad.map((name) => ({ name, inputSchema })),
      { name: 'no-schema' },
      { name: 'marked', inputSchema: marked },
      'nothing',
    ];
    const server = await startScriptedServer(t, () => ({ tools }));
    const { items, leftOut } = await connectTo(t, server.url).list('tools', none());
    assert.deepEqual(
      items.map(({ name }) => name),
      ['good'],
    );
    assert.equal(leftOut.length, 9);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be in messages.
    assert.ok(leftOut.every((text) => !/[\u0000-\u001f]/.test(text)));
  });

  test('with deep or broken JSON, other ids, no answer, errors and redirects is an error that names it', async (t) => {
    const answers: Readonly<Record<string, readonly [number, string, string, RegExp]>> = {
      deep: [
        200,
        'application/json',
        `{"jsonrpc":"2.0","id":1,"result":${'['.repeat(5000)}${']'.repeat(5000)}}`,
        /levels/,
      ],
      broken: [200, 'application/json', '{"jsonrpc"', /no JSON/],
      other: [200, 'application/json', '{"jsonrpc":"2.0","id":"mine","result":{}}', /another request/],
      page: [200, 'text/html', '<html></html>', /text\/html/],
      failing: [500, 'text/plain', 'no', /HTTP 500/],
      forbidden: [401, 'text/plain', 'no', /refuses the gateway's credential/],
      redirect: [307, 'text/plain', '', /redirect/],
      empty: [
        200,
        'text/event-stream',
        'data: {"jsonrpc":"2.0","method":"notifications/x"}\n\n',
        /ended its response/,
      ],
    };
    for (const [name, [status, type, body, what]] of Object.entries(answers)) {
      const server = await startRpcServer(t, (_, __, response) => {
        response.writeHead(status, { 'content-type': type, location: 'http://169.254.169.254/' });
        response.end(body);
      });
      await assert.rejects(connectTo(t, server.url).describe(none()), failed(what), name);
    }
  });

  test('that sends without an end, or nothing, ends with its time', { timeout: 60_000 }, async (t) => {
    const silent = await startScriptedServer(t, () => undefined);
    const options = { timeoutMs: 1000 };
    await assert.rejects(
      connectTo(t, silent.url, options).list('tools', none()),
      failed(/did not answer within 1000 ms/),
    );
    const endless = await startRpcServer(t, (_, body, response) => {
      if (body.includes('server/discover')) {
        const capabilities = { tools: {} };
        const result = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, result }));
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const line = 'data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n';
      const write = () => {
        while (!response.destroyed && response.write(line.repeat(100)));
      };
      response.on('drain', write);
      write();
    });
    await assert.rejects(connectTo(t, endless.url).list('tools', none()), failed(/more than 20000 messages/));
  });

  test('harms no other: a good server answers while a bad one sends without an end', async (t) => {
    const bad = await startRpcServer(t, (_, __, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const write = () => {
        while (!response.destroyed && response.write('['.repeat(65_536)));
      };
      response.on('drain', write);
      write();
    });
    const good = await startStatelessServer(t);
    const [refused, tools] = await Promise.allSettled([
      connectTo(t, bad.url).describe(none()),
      connectTo(t, good.url).list('tools', none()),
    ]);
    assert.equal(tools.status, 'fulfilled');
    assert.ok(refused.status === 'rejected' && failed(/more than 16777216 bytes/)(refused.reason));
  });
});
