import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { compileApi } from './compile-api.ts';
import { limits } from './limits.ts';
import { type ApiSource, readApi } from './read-api.ts';

const require = createRequire(import.meta.url);
const noFetch = () => Promise.reject(new Error('nothing is fetched'));
const all = { allow: [], deny: [] };

function read(content: string | JsonObject, more: Partial<ApiSource> = {}) {
  return readApi(
    { document: { content }, baseUrl: 'https://api.example', operations: all, ...more },
    noFetch,
  );
}

function api(paths: JsonObject, more: JsonObject = {}): JsonObject {
  return { openapi: '3.1.0', info: { title: 'A', version: '1' }, paths, ...more };
}

describe('documents of real APIs', () => {
  const documents: readonly (readonly [string, number])[] = [
    ['@readme/oas-examples/3.0/json/petstore.json', 19],
    ['@readme/oas-examples/3.0/yaml/parameters-style.yaml', 23],
    ['@readme/oas-examples/3.0/json/star-trek.json', 120],
    ['@readme/oas-examples/3.0/json/circular-request-bodies.json', 4],
    ['@readme/oas-examples/3.0/json/polymorphism.json', 13],
    ['@readme/oas-examples/3.1/json/schema-types.json', 23],
    ['@readme/oas-examples/3.1/yaml/train-travel.yaml', 7],
    ['@readme/oas-examples/3.1/json/readme.json', 54],
    ['@scalar/galaxy/3.1.yaml', 10],
    ['@scalar/galaxy/3.1.json', 10],
  ];
  for (const [name, tools] of documents)
    test(`${name} has ${tools} tools with valid schemas, also from what is stored`, async () => {
      const text = readFileSync(require.resolve(name), 'utf8');
      const { definition, report } = await read(text);
      const stored = JSON.parse(JSON.stringify(definition));
      const compiled = compileApi(stored);
      assert.deepEqual([report.tools, compiled.tools.size], [tools, tools]);
      assert.deepEqual(compiled.report, report);
      for (const { definition: tool } of compiled.tools.values()) {
        const ajv = new Ajv2020({ strictSchema: true, strictTypes: false, validateFormats: false });
        assert.ok(ajv.compile(tool.inputSchema));
        if (isJsonObject(tool.outputSchema)) assert.ok(ajv.compile(tool.outputSchema));
        assert.ok(JSON.stringify(tool).length < 2 * limits.schemaCharactersMax);
      }
    });
});

describe('the choice of operations', () => {
  const document = api({
    '/pets': {
      get: { operationId: 'listPets', tags: ['pets'] },
      post: { operationId: 'addPet', tags: ['pets'] },
    },
    '/pets/{id}': {
      delete: {
        operationId: 'removePet',
        tags: ['pets'],
        parameters: [{ in: 'path', name: 'id', required: true }],
      },
    },
    '/users': { get: { operationId: 'listUsers', tags: ['users'], deprecated: true } },
  });
  const choices: readonly (readonly [ApiSource['operations'], readonly string[]])[] = [
    [all, ['listPets', 'addPet', 'removePet']],
    [{ allow: ['list*'], deny: [], deprecated: true }, ['listPets', 'listUsers']],
    [{ allow: ['tag:pets'], deny: ['delete'] }, ['listPets', 'addPet']],
    [{ allow: ['GET', 'POST /pets'], deny: [] }, ['listPets', 'addPet']],
    [{ allow: ['/pets/*'], deny: [] }, ['removePet']],
    [{ allow: [], deny: ['* /pets'] }, ['removePet']],
  ];
  for (const [operations, expected] of choices)
    test(`${JSON.stringify(operations)} chooses ${expected.join(', ')}`, async () => {
      const { definition, report } = await read(document, { operations });
      assert.deepEqual([...compileApi(definition).tools.keys()], expected);
      assert.equal(report.tools + report.leftOutCount, 4);
    });

  test('too many operations are an error that says how to choose', async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 501 }, (_, index) => [`/p${index}`, { get: { tags: ['t'] } }]),
    );
    await assert.rejects(read(api(paths)), /501 operations, and a server may have 500 tools: .* "tag:t"/);
    const { report } = await read(api(paths), { operations: { allow: ['/p1*'], deny: [] } });
    assert.equal(report.tools, 111);
  });
});

describe('the address of an API', () => {
  const server = {
    url: 'https://{region}.example/{base}',
    variables: { region: { default: 'eu', enum: ['eu', 'us'] }, base: { default: 'v1' } },
  };
  const paths = { '/a': { get: {} } };
  const addressOf = async (fields: JsonObject, more: Partial<ApiSource> = {}) =>
    (await read(api(paths, fields), { baseUrl: undefined, ...more })).definition.baseUrl;

  test('is the first server with its variables, or the one that was given', async () => {
    assert.equal(await addressOf({ servers: [server] }), 'https://eu.example/v1');
    assert.equal(
      await addressOf({ servers: [server] }, { variables: { region: 'us' } }),
      'https://us.example/v1',
    );
    assert.equal(
      await addressOf({ servers: [server] }, { baseUrl: 'https://own.example/x/' }),
      'https://own.example/x',
    );
    const fetch = async () => new Response(JSON.stringify(api(paths, { servers: [{ url: '/v3' }] })));
    const source = { document: { url: 'https://docs.example/a/openapi.json' }, operations: all };
    assert.equal((await readApi(source, fetch)).definition.baseUrl, 'https://docs.example/v3');
  });

  test('must be complete, and of HTTP', async () => {
    await assert.rejects(addressOf({}), /names no server: give its address as baseUrl/);
    await assert.rejects(addressOf({ servers: [{ url: '/v1' }] }), /has no complete address/);
    await assert.rejects(
      addressOf({ servers: [server] }, { variables: { region: 'evil.example/' } }),
      /does not allow/,
    );
    for (const baseUrl of ['file:///etc/passwd', 'https://me:pw@api.example', 'https://api.example?x=1'])
      await assert.rejects(addressOf({}, { baseUrl }), /http or https address without user/);
  });
});

describe('hostile documents', () => {
  const pet = (properties: JsonObject, more: JsonObject = {}) =>
    api(
      {
        '/p': {
          post: {
            requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } } },
          },
        },
      },
      { components: { schemas: { S0: { type: 'object', properties }, ...more } } },
    );

  test('that are no OpenAPI 3 are refused', async () => {
    const texts = [
      '',
      '[]',
      '{',
      'a: [',
      '{"openapi":"3.0.0"}',
      '{"openapi":"2.9","paths":{}}',
      '{"openapi":"3.0.0","paths":{}}',
    ];
    for (const text of texts) await assert.rejects(read(text), { code: 'invalid_request' }, text);
    await assert.rejects(read({ swagger: '2.0', paths: {} }), /version 2.0 \(Swagger\)/);
  });

  test('references that multiply stay definitions', async () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => {
        const $ref = `#/components/schemas/S${index + 1}`;
        return [`S${index}`, { type: 'object', properties: { a: { $ref }, b: { $ref }, c: { $ref } } }];
      }),
    );
    const { definition } = await read(pet({}, { ...schemas, S60: { type: 'string' } }));
    const [tool] = compileApi(definition).tools.values();
    assert.ok(JSON.stringify(tool?.definition).length < limits.schemaCharactersMax);
  });

  test('schemas of any size are made shallower', async () => {
    const wide = Object.fromEntries(
      Array.from({ length: 3000 }, (_, index) => [
        `field${index}`,
        { type: 'string', description: 'x'.repeat(50) },
      ]),
    );
    const { definition } = await read(
      pet({ inner: { $ref: '#/components/schemas/Wide' } }, { Wide: { type: 'object', properties: wide } }),
    );
    const [tool] = compileApi(definition).tools.values();
    assert.deepEqual(tool?.definition.inputSchema.$defs, {
      S0: { type: 'object', properties: { inner: { type: 'object' } } },
    });
  });

  test('nesting, aliases and sizes are bounded', async () => {
    let deep: JsonObject = {};
    for (let level = 0; level < 200; level++) deep = { properties: { a: deep } };
    await assert.rejects(read(pet({ deep })), /more than 100 levels/);
    await assert.rejects(read(`{"openapi":"3.0.0","paths":${'['.repeat(200_000)}`), /not valid JSON/);
    await assert.rejects(read(`openapi: 3.0.0\npaths: ${'['.repeat(200_000)}`), /nested too deeply/);
    await assert.rejects(read(`openapi: 3.0.0\n${'- '.repeat(50_000)}a`), /nested too deeply/);
    const bomb = Array.from(
      { length: 12 },
      (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level},`.repeat(9)}]`,
    );
    await assert.rejects(read(`openapi: 3.0.0\npaths: {}\nl0: &l0 [x]\n${bomb.join('\n')}`), {
      code: 'invalid_request',
    });
    await assert.rejects(
      read(`openapi: 3.0.0\n#${'x'.repeat(limits.yamlCharactersMax)}`),
      /as JSON, it may have more/,
    );
  });

  test('names of JavaScript are names like others', async () => {
    const document: JsonObject = JSON.parse(
      '{"openapi":"3.0.0","paths":{"/a":{"get":{"operationId":"constructor","parameters":[{"in":"query","name":"__proto__"},{"in":"query","name":"toString"},{"$ref":"#/components/parameters/constructor"}]}}},"components":{"parameters":{"x":{}}}}',
    );
    await assert.rejects(read(document), /"#\/components\/parameters\/constructor" is not in the document/);
  });

  test('a document that can not be fetched is an error without its address', async () => {
    const fetch = async () => new Response('', { status: 404 });
    const source = { document: { url: 'https://docs.example/a?token=secret' }, operations: all };
    await assert.rejects(readApi(source, fetch), {
      message: 'the OpenAPI document could not be fetched: https://docs.example answered 404',
    });
  });
});
