import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { Egress } from '../../egress/egress.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { OpenApiConnection } from './openapi-connection.ts';
import { readApi } from './read-api.ts';

interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface SetUp {
  readonly paths: JsonObject;
  readonly components?: JsonObject;
  readonly fields?: JsonObject;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly base?: string;
  readonly timeoutMs?: number;
  answer?(response: ServerResponse, request: IncomingMessage): void;
}

const { signal } = new AbortController();

/** An API on a real server that answers with what it received, and the connection to it. */
async function startApi(
  t: TestContext,
  { paths, components = {}, fields, answer, secrets = {}, base = '', timeoutMs = 10_000 }: SetUp,
) {
  const seen: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, headers, body: await text(request) });
    if (answer !== undefined) return answer(response, request);
    response.setHeader('content-type', 'application/json');
    response.end('{"ok":true}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const egress = new Egress({ isPublicOnly: false });
  t.after(async () => {
    await egress.close();
    server.closeAllConnections();
    server.close();
  });
  const fetch = egress.openFetch({ purpose: 'mcp', reachOf: () => 'any' });
  const document = { openapi: '3.0.3', info: { title: 'Pets', version: '7' }, paths, components, ...fields };
  const { definition, report } = await readApi(
    {
      document: { content: document },
      baseUrl: `http://127.0.0.1:${port}${base}`,
      operations: { allow: [], deny: [] },
    },
    fetch,
  );
  const connection = new OpenApiConnection({
    name: 'pets',
    definition,
    fetch,
    timeoutMs,
    secrets: async () => secrets,
  });
  const call = (name: string, input: JsonObject = {}, options = { signal }) =>
    connection.request('tools/call', { name, arguments: input }, options);
  return {
    seen,
    report,
    connection,
    call,
    last: () => seen.at(-1) ?? { method: '', url: '', headers: {}, body: '' },
  };
}

function textOf(result: JsonObject): string {
  const [first] = Array.isArray(result.content) ? result.content : [];
  return isJsonObject(first) ? String(first.text) : '';
}

function parameter(place: string, name: string, more: JsonObject = {}): JsonObject {
  return { name, in: place, schema: {}, ...(place === 'path' && { required: true }), ...more };
}

/** `get` of a path with these parameters. */
function operation(path: string, ...parameters: readonly JsonObject[]): JsonObject {
  return { [path]: { get: { operationId: 'read', parameters } } };
}

function post(content: JsonObject): JsonObject {
  return { '/pets': { post: { operationId: 'write', requestBody: { required: true, content } } } };
}

describe('tools of an API', () => {
  test('an operation is a tool with one schema of its arguments', async (t) => {
    const { connection, report } = await startApi(t, {
      paths: {
        '/pets/{id}': {
          parameters: [parameter('path', 'id', { schema: { type: 'integer' } })],
          put: {
            operationId: 'pets/replace',
            summary: 'Replaces a pet',
            parameters: [
              parameter('query', 'id', { description: 'Another id' }),
              parameter('query', 'page[size]'),
            ],
            requestBody: {
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
            },
          },
          delete: { responses: {} },
        },
      },
      components: {
        schemas: {
          Pet: {
            type: 'object',
            required: ['id', 'name'],
            properties: {
              id: { type: 'integer', readOnly: true },
              name: { type: 'string', nullable: true, pattern: '^(a+)+$' },
              parent: { $ref: '#/components/schemas/Pet' },
            },
          },
        },
      },
    });
    const { items } = await connection.list('tools', { signal });
    const [replace, remove] = items;
    assert.deepEqual(replace?.annotations, {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    });
    assert.equal(replace?.name, 'pets_replace');
    assert.deepEqual(replace?.inputSchema, {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        id_query: { description: 'Another id' },
        page_size: {},
        body: { $ref: '#/$defs/Pet' },
      },
      required: ['id'],
      additionalProperties: false,
      $defs: {
        Pet: {
          type: 'object',
          properties: {
            name: { type: ['string', 'null'], description: 'Pattern: ^(a+)+$' },
            parent: { $ref: '#/$defs/Pet' },
          },
          required: ['name'],
        },
      },
    });
    assert.equal(remove?.name, 'delete_pets_id');
    assert.equal(isJsonObject(remove?.annotations) && remove.annotations.destructiveHint, true);
    assert.deepEqual([report.title, report.version, report.tools], ['Pets', '7', 2]);
  });

  test('names do not depend on the order of operations, and long or equal ones have a digest', async (t) => {
    const paths = Object.fromEntries(
      ['/a', '/b', `/${'long'.repeat(30)}`].map((path) => [
        path,
        { get: path.length > 2 ? {} : { operationId: 'same' } },
      ]),
    );
    const reversed = Object.fromEntries(Object.entries(paths).reverse());
    const [one, other] = await Promise.all([paths, reversed].map((given) => startApi(t, { paths: given })));
    const namesOf = async (api: typeof one) =>
      (await api?.connection.list('tools', { signal }))?.items.map(({ name }) => name);
    const names = await namesOf(one);
    assert.deepEqual(names, (await namesOf(other))?.toReversed());
    assert.equal(new Set(names).size, 3);
    for (const name of names ?? []) assert.match(String(name), /^[\w-]{1,48}$/);
  });

  test('what can not be a tool is left out with its reason', async (t) => {
    const { report } = await startApi(t, {
      paths: {
        '/external': { get: { parameters: [{ $ref: 'https://evil.example/p.json#/p' }] } },
        '/elsewhere': { get: { servers: [{ url: 'https://other.example' }] } },
        '/xml': { post: { requestBody: { required: true, content: { 'application/xml': {} } } } },
        '/old': { get: { deprecated: true } },
        '/open/{id}': { get: {} },
        '/../up': { get: {} },
        '/fine': { get: {}, trace: {} },
        '/circle': { $ref: '#/paths/~1circle' },
        '/dangling': { get: { parameters: [{ $ref: '#/components/parameters/None' }] } },
      },
      fields: { servers: [{ url: 'https://ignored.example/v1' }] },
    });
    assert.deepEqual(
      Object.fromEntries(report.leftOut.map(({ operation: name, reason }) => [name, reason])),
      {
        '* /circle': 'its description has references that lead in a circle',
        'GET /external': 'it refers to another document (https://evil.example/p.json#/p)',
        'GET /elsewhere': 'it is on another server (https://other.example)',
        'POST /xml': 'its request body is application/xml',
        'GET /old': 'it is deprecated',
        'GET /open/{id}': 'no parameter describes {id} of its path',
        'GET /../up': 'its path is no valid path of an address',
        'TRACE /fine': 'requests with TRACE are not made',
        'GET /dangling': '"#/components/parameters/None" is not in the document',
      },
    );
    assert.deepEqual(report.ignoredServers, ['https://ignored.example/v1']);
    assert.equal(report.tools, 1);
  });
});

describe('requests', () => {
  const styles: readonly (readonly [JsonObject, unknown, string])[] = [
    [parameter('path', 'x'), 'a b/ü', '/v/a%20b%2F%C3%BC'],
    [parameter('path', 'x'), ['a', 'b'], '/v/a,b'],
    [parameter('path', 'x', { explode: true }), { r: 1, g: 2 }, '/v/r=1,g=2'],
    [parameter('path', 'x', { style: 'label' }), ['a', 'b'], '/v/.a,b'],
    [parameter('path', 'x', { style: 'label', explode: true }), { r: 1, g: 2 }, '/v/.r=1.g=2'],
    [parameter('path', 'x', { style: 'matrix' }), ['a', 'b'], '/v/;x=a,b'],
    [parameter('path', 'x', { style: 'matrix', explode: true }), ['a', 'b'], '/v/;x=a;x=b'],
    [parameter('query', 'x'), ['a', 'b&c'], '/v/{x}?x=a&x=b%26c'],
    [parameter('query', 'x', { explode: false }), ['a', 'b'], '/v/{x}?x=a,b'],
    [parameter('query', 'x'), { r: 1, g: 2 }, '/v/{x}?r=1&g=2'],
    [parameter('query', 'x', { explode: false }), { r: 1, g: 2 }, '/v/{x}?x=r,1,g,2'],
    [parameter('query', 'x', { style: 'spaceDelimited', explode: false }), ['a', 'b'], '/v/{x}?x=a%20b'],
    [parameter('query', 'x', { style: 'pipeDelimited', explode: false }), ['a', 'b'], '/v/{x}?x=a%7Cb'],
    [
      parameter('query', 'x', { style: 'deepObject' }),
      { a: { b: 1 }, c: [2] },
      '/v/{x}?x%5Ba%5D%5Bb%5D=1&x%5Bc%5D%5B0%5D=2',
    ],
    [parameter('query', 'x', { allowReserved: true }), 'a/b?c#d&e', '/v/{x}?x=a/b?c%23d%26e'],
    [
      parameter('query', 'x', { content: { 'application/json': {} } }),
      { a: 1 },
      '/v/{x}?x=%7B%22a%22%3A1%7D',
    ],
    [parameter('query', 'x'), null, '/v/{x}'],
    [parameter('query', 'x'), [], '/v/{x}'],
  ];
  for (const [described, value, expected] of styles) {
    const title = `${described.in} ${described.style ?? ''} ${JSON.stringify(value)} is ${expected}`;
    test(title, async (t) => {
      const path = described.in === 'path' ? '/v/{x}' : '/v/x';
      const { call, last } = await startApi(t, { paths: operation(path, described) });
      await call('read', { x: value });
      assert.equal(last().url, expected.replace('{x}', 'x'));
    });
  }

  test('any text arrives in the path, the query, a header and a cookie as it was, at the same operation', async (t) => {
    const { call, last } = await startApi(t, {
      base: '/base',
      paths: operation(
        '/a/{p}/z',
        parameter('path', 'p'),
        parameter('query', 'q'),
        parameter('header', 'X-H'),
        parameter('cookie', 'c'),
      ),
    });
    const texts = fc.string({ unit: 'binary', minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(texts, texts, async (inPath, inQuery) => {
        const result = await call('read', { p: inPath, q: inQuery, 'X-H': 'h', c: inQuery });
        if (result.isError === true) return assert.match(textOf(result), /"p" must not/);
        const url = new URL(last().url, 'http://api');
        const [, base, a, value = '', z, ...more] = url.pathname.split('/');
        assert.deepEqual([base, a, z, more], ['base', 'a', 'z', []]);
        assert.equal(decodeURIComponent(value), inPath.toWellFormed());
        assert.deepEqual([...url.searchParams], [['q', inQuery.toWellFormed()]]);
        assert.equal(decodeURIComponent(last().headers.cookie?.slice(2) ?? ''), inQuery.toWellFormed());
      }),
      { numRuns: 150 },
    );
  });

  test('no argument leads out of the path of its operation', async (t) => {
    const { call, seen } = await startApi(t, {
      paths: operation('/users/{id}/public', parameter('path', 'id')),
    });
    const attacks = [
      '..',
      '.',
      '../admin',
      '..\\admin',
      'a/../../b',
      '%2e%2e',
      '%2e%2e%2fadmin',
      '%252e%252e%252f',
      '.%2e',
      'a\r\nb',
      '\0',
      '',
    ];
    for (const id of attacks) {
      const result = await call('read', { id });
      assert.equal(result.isError, true, id);
    }
    assert.equal((await call('read', { id: ['..'] })).isError, true);
    await call('read', { id: { '..': '..' } });
    assert.deepEqual(
      seen.map(({ url }) => url),
      ['/users/..,../public'],
    );
  });

  const fields = {
    type: 'object',
    properties: { a: { type: 'string' }, list: { type: 'array' }, deep: { type: 'object' }, plain: {} },
  };
  test('a JSON body is sent as JSON', async (t) => {
    const { call, last } = await startApi(t, {
      paths: post({ 'text/plain': {}, 'application/merge-patch+json': { schema: fields } }),
    });
    await call('write', { body: { a: 'ü', list: [1] } });
    assert.equal(last().headers['content-type'], 'application/merge-patch+json');
    assert.deepEqual(JSON.parse(last().body), { a: 'ü', list: [1] });
  });

  test('a form repeats lists, and writes objects as the document says', async (t) => {
    const encoding = { deep: { style: 'deepObject', explode: true } };
    const { call, last } = await startApi(t, {
      paths: post({ 'application/x-www-form-urlencoded': { schema: fields, encoding } }),
    });
    await call('write', { body: { a: 'x&y', list: [1, 2], deep: { k: 'v' }, plain: { k: 1 } } });
    assert.equal(last().headers['content-type'], 'application/x-www-form-urlencoded');
    assert.deepEqual(
      [...new URLSearchParams(last().body)],
      [
        ['a', 'x&y'],
        ['list', '1'],
        ['list', '2'],
        ['deep[k]', 'v'],
        ['plain', '{"k":1}'],
      ],
    );
  });

  test('a form in parts has files from Base64', async (t) => {
    const schema = {
      type: 'object',
      properties: { file: { type: 'string', format: 'binary' }, about: { type: 'object' }, a: {} },
    };
    const encoding = { file: { contentType: 'image/png' } };
    const { call, last } = await startApi(t, {
      paths: post({ 'multipart/form-data': { schema, encoding } }),
    });
    await call('write', {
      body: { file: Buffer.from('bytes').toString('base64'), about: { k: 1 }, a: 'text' },
    });
    const form = await new Response(last().body, {
      headers: { 'content-type': last().headers['content-type'] ?? '' },
    }).formData();
    const [file, about] = [form.get('file'), form.get('about')];
    assert.ok(file instanceof Blob && about instanceof Blob);
    assert.deepEqual(
      [file.type, await file.text(), about.type, await about.text(), form.get('a')],
      ['image/png', 'bytes', 'application/json', '{"k":1}', 'text'],
    );
    assert.match(textOf(await call('write', { body: { file: 'no base64!' } })), /"file" must be Base64/);
  });

  test('text and files are sent as they are', async (t) => {
    const api = await startApi(t, { paths: post({ 'text/csv': {} }) });
    await api.call('write', { body: 'a,b' });
    assert.deepEqual([api.last().headers['content-type'], api.last().body], ['text/csv', 'a,b']);
    const files = await startApi(t, { paths: post({ 'application/octet-stream': {} }) });
    await files.call('write', { body: 'aGk=' });
    assert.deepEqual(
      [files.last().headers['content-type'], files.last().body],
      ['application/octet-stream', 'hi'],
    );
  });

  test('secrets go where the document says, and no argument takes their place', async (t) => {
    const schemes = {
      inQuery: { type: 'apiKey', in: 'query', name: 'key' },
      inCookie: { type: 'apiKey', in: 'cookie', name: 'session' },
      inHeader: { type: 'apiKey', in: 'header', name: 'X-Key' },
      Token: { type: 'http', scheme: 'bearer' },
      login: { type: 'http', scheme: 'basic' },
    };
    const parameters = [
      parameter('query', 'o'),
      parameter('header', 'x-key'),
      parameter('header', 'Authorization'),
      parameter('cookie', 'session'),
    ];
    const { call, last } = await startApi(t, {
      paths: {
        '/all': {
          get: {
            operationId: 'all',
            parameters,
            security: [{ inQuery: [], inCookie: [] }, { inHeader: [] }, { Token: [] }],
          },
        },
        '/basic': { get: { operationId: 'basic', security: [{ login: [] }] } },
        '/open': { get: { operationId: 'open', security: [] } },
      },
      components: { securitySchemes: schemes },
      secrets: { inquery: 'q&1', inCookie: 'c;1', inHeader: 'h', token: 't', login: 'me:pw', 'X-Other': 'o' },
    });
    await call('all', { o: { key: 'mine', free: 1 }, 'x-key': 'mine', session: 'mine' });
    assert.equal(last().url, '/all?free=1&key=q%261');
    const { cookie, authorization } = last().headers;
    assert.deepEqual(
      [cookie, last().headers['x-key'], authorization, last().headers['x-other']],
      ['session=c%3B1', 'h', 'Bearer t', 'o'],
    );
    await call('basic');
    assert.equal(last().headers.authorization, `Basic ${btoa('me:pw')}`);
    await call('open');
    assert.deepEqual(
      [last().url, last().headers.authorization, last().headers['x-other']],
      ['/open', undefined, 'o'],
    );
  });

  test('wrong arguments are told, and nothing is sent', async (t) => {
    const schema = {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string', maxLength: 3 }, kind: { enum: ['cat', 'dog'] } },
      additionalProperties: false,
    };
    const { call, seen } = await startApi(t, { paths: post({ 'application/json': { schema } }) });
    const result = await call('write', { body: { name: 'long', kind: 'cow', nmae: 1 }, extra: 1 });
    assert.equal(result.isError, true);
    assert.equal(
      textOf(result),
      'POST /pets: the arguments are wrong: "body.name" must have at most 3 characters; "body.kind" must be one of ["cat","dog"]; "body.nmae" is unknown; did you mean "name"?; "extra" is unknown',
    );
    assert.match(textOf(await call('write', {})), /"body" is missing/);
    assert.deepEqual(seen, []);
    await assert.rejects(call('wirte'), {
      code: -32_602,
      message: 'there is no tool "wirte"; did you mean "write"?',
    });
  });
});

describe('responses', () => {
  const described = { '/x': { get: { operationId: 'read' }, post: { operationId: 'write' } } };
  const answerWith =
    (type: string, body: string | Buffer, status = 200) =>
    (response: ServerResponse) => {
      response.writeHead(status, { 'content-type': type });
      response.end(body);
    };

  test('JSON is text and structured content; other texts and images are content', async (t) => {
    let answer = answerWith('application/problem+json', '{"a":1}');
    const { call } = await startApi(t, { paths: described, answer: (response) => answer(response) });
    assert.deepEqual(await call('read'), {
      resultType: 'complete',
      content: [{ type: 'text', text: '{"a":1}' }],
      structuredContent: { a: 1 },
    });
    answer = answerWith('application/json', '[1]');
    assert.deepEqual(await call('read'), {
      resultType: 'complete',
      content: [{ type: 'text', text: '[1]' }],
    });
    answer = answerWith('text/html', '<b>');
    assert.equal(textOf(await call('read')), '<b>');
    answer = answerWith('image/png', Buffer.from([1, 2]));
    assert.deepEqual((await call('read')).content, [{ type: 'image', data: 'AQI=', mimeType: 'image/png' }]);
    answer = answerWith('application/zip', Buffer.from([0, 2]));
    assert.equal(
      textOf(await call('read')),
      'The response is 2 bytes of application/zip, which are not shown.',
    );
    answer = (response) => void response.writeHead(204).end();
    assert.equal(textOf(await call('read')), 'The API answered 204 without content.');
  });

  test('a long response is cut with a note, and an endless one is ended', async (t) => {
    let answer: (response: ServerResponse) => void = answerWith('text/plain', 'x'.repeat(150_000));
    const { call } = await startApi(t, { paths: described, answer: (response) => answer(response) });
    assert.match(textOf(await call('read')), /^x{100000}\n\(cut: 100000 of 150000 characters\)$/);
    let closed: Promise<unknown> = Promise.resolve();
    answer = (response) => {
      closed = once(response, 'close');
      const write = () => {
        while (!response.destroyed && response.write('{"x":'.repeat(1000)));
      };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.on('drain', write);
      write();
    };
    assert.match(textOf(await call('read')), /\(cut: 100000 of more than \d+ characters\)$/);
    await closed;
  });

  test('an HTTP error is an error of the tool with the status and the start of the body', async (t) => {
    const { call, seen } = await startApi(t, {
      paths: described,
      answer: (response) =>
        response.writeHead(429, 'Slow Down', { 'retry-after': '7' }).end('e'.repeat(5000)),
    });
    const result = await call('read');
    assert.equal(result.isError, true);
    assert.match(
      textOf(result),
      /^GET \/x: the API answered 429 Slow Down\nIt can be called again after: 7\.\ne{4000}\n\(the first 4000 characters\)$/,
    );
    assert.equal(seen.length, 1);
  });

  test('a redirect is not followed, and its secrets are not told', async (t) => {
    const { call, seen } = await startApi(t, {
      paths: described,
      answer: (response) =>
        response.writeHead(302, { location: 'http://169.254.169.254/latest?token=1' }).end(),
    });
    const text = textOf(await call('read'));
    assert.equal(
      text,
      'GET /x: the API answered 302 Found\nIt redirects to http://169.254.169.254, which is not followed.',
    );
    assert.equal(seen.length, 1);
  });

  test('a request whose connection is lost is repeated only if it reads', async (t) => {
    const { call, seen } = await startApi(t, {
      paths: described,
      answer: (response) => void response.destroy(),
    });
    assert.match(textOf(await call('read')), /could not be reached/);
    assert.deepEqual(
      seen.map(({ method }) => method),
      ['GET', 'GET'],
    );
    assert.match(textOf(await call('write')), /could not be reached/);
    assert.deepEqual(
      seen.map(({ method }) => method),
      ['GET', 'GET', 'POST'],
    );
  });

  test('a silent API is an error after the timeout, and an abort ends the request', async (t) => {
    const slow = await startApi(t, { paths: described, timeoutMs: 50, answer: () => {} });
    assert.match(textOf(await slow.call('write')), /did not answer within 50 ms/);
    const half = await startApi(t, {
      paths: described,
      timeoutMs: 200,
      answer: (response) => void response.writeHead(200).write('{'),
    });
    assert.match(textOf(await half.call('read')), /did not answer within 200 ms/);
    const abort = new AbortController();
    const waiting = await startApi(t, { paths: described, answer: () => abort.abort(new Error('gone')) });
    await assert.rejects(waiting.call('read', {}, { signal: abort.signal }), /gone/);
  });

  test('the result of a tool with an output schema always fits it', async (t) => {
    const schema = {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'integer' }, next: { type: 'string', nullable: true } },
    };
    const content = { 'application/json': { schema } };
    let body = '';
    const { call, connection } = await startApi(t, {
      paths: { '/x': { get: { operationId: 'read', responses: { 200: { description: '', content } } } } },
      answer: (response) => answerWith('application/json', body)(response),
    });
    const [tool] = (await connection.list('tools', { signal })).items;
    assert.ok(isJsonObject(tool?.outputSchema));
    const results: unknown[] = [];
    for (body of ['{"id":1,"next":null}', '{"id":"no"}', '[1]', `{"id":1,"x":"${'x'.repeat(100_000)}"}`])
      results.push((await call('read')).structuredContent);
    assert.deepEqual(results, [
      { id: 1, next: null },
      { undescribed: { id: 'no' } },
      { undescribed: [1] },
      { undescribed: null },
    ]);
  });
});
