import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { z } from 'zod';
import { createGateway, type GatewayOptions } from '../src/index.ts';
import {
  defineCollection,
  defineModule,
  defineModuleRoute,
  GatewayError,
  type Module,
  type ModuleRoute,
} from '../src/module-api.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { bearer, Person } from './support/cloud.ts';

const notes = defineCollection({
  name: 'notes',
  value: z.strictObject({ text: z.string() }),
  fields: { person: 'text1', at: 'integer1' },
  entriesMax: 100,
});

/** A module with a collection and routes, and nothing else. */
function notebook(over: Partial<Module> = {}): Module {
  return defineModule({
    api: 1,
    name: 'notebook',
    summary: 'Notes.',
    status: 'preview',
    protective: false,
    ifBroken: 'skip',
    touches: [],
    features: ['notes'],
    options: z.strictObject({}),
    handle: (exchange, next) => next(exchange),
    routes: (host) => [
      defineModuleRoute({
        method: 'PUT',
        path: '/v1/modules/notebook/notes/:key',
        summary: 'Write a note',
        access: 'sessionOrKey',
        body: z.strictObject({ text: z.string('must be a string'), person: z.string().optional() }),
        responses: { 200: { description: 'The note', schema: z.strictObject({ version: z.int() }) } },
        async handle({ scope, parameters: { key = '' }, body: { text, person = null } }) {
          const fields = { person, at: host.clock.now() };
          const entry = await host.store(scope).collection(notes).put(key, { value: { text }, fields });
          return { body: { version: entry?.version } };
        },
      }),
      defineModuleRoute({
        method: 'GET',
        path: '/v1/modules/notebook/notes',
        summary: 'List notes',
        access: 'sessionOrKey',
        query: { person: z.string().max(5, 'is too long').optional(), limit: z.coerce.number().optional() },
        responses: { 200: { description: 'The notes' } },
        async handle({ scope, query: { person, limit = 10 } }) {
          const where = person === undefined ? {} : { person };
          const { entries } = await host.store(scope).collection(notes).query({ where, limit });
          return { body: { notes: entries.map(({ key, value }) => ({ key, ...value })) } };
        },
      }),
      defineModuleRoute({
        method: 'DELETE',
        path: '/v1/modules/notebook/notes',
        summary: 'Delete all notes',
        access: 'session',
        rateLimit: { name: 'deletions', most: 2, seconds: 60, message: 'two deletions per minute' },
        responses: { 204: { description: 'Deleted' } },
        async handle({ scope }) {
          const deleted = await host.store(scope).collection(notes).deleteAll({});
          if (deleted === 0) throw new GatewayError('not_found', 'no notes');
          return { status: 204 };
        },
      }),
      defineModuleRoute({
        method: 'POST',
        path: '/v1/modules/notebook/lines',
        summary: 'Count lines',
        access: 'sessionOrKey',
        isTextBody: true,
        body: { '~standard': { version: 1, vendor: 'test', validate: countLines } },
        responses: { 200: { description: 'The number', contentType: 'text/plain' } },
        handle: ({ body }) => ({ body: `${body} lines`, contentType: 'text/plain' }),
      }),
    ],
    ...over,
  });
}

function countLines(value: unknown) {
  return { value: String(value).split('\n').length };
}

async function start(t: TestContext, options: GatewayOptions): Promise<string> {
  const gateway = createGateway(options);
  cleanUp(t, () => gateway.stop());
  return gateway.start();
}

test('a module serves its routes, checked and documented by their declaration', async (t) => {
  const url = await start(t, { modules: [notebook()] });
  const path = '/v1/modules/notebook/notes';
  const put = await call(url, { method: 'PUT', path: `${path}/a`, body: { text: 'one', person: 'ann' } });
  assert.equal(put.status, 200, put.text);
  await call(url, { method: 'PUT', path: `${path}/b`, body: { text: 'two' } });
  assert.deepEqual((await call(url, { path: `${path}?person=ann` })).json, {
    notes: [{ key: 'a', text: 'one' }],
  });
  assert.deepEqual((await call(url, { path: `${path}?limit=1` })).json, {
    notes: [{ key: 'a', text: 'one' }],
  });

  const refused = async (sent: Parameters<typeof call>[1]) => {
    const { status, json } = await call(url, sent);
    return [status, at(json, 'error', 'message'), at(json, 'error', 'param')];
  };
  assert.deepEqual(await refused({ path: `${path}?persn=ann` }), [
    400,
    'unknown query parameters: "persn"',
    'persn',
  ]);
  assert.deepEqual(await refused({ path: `${path}?person=ann-and-bob` }), [
    400,
    'person: is too long',
    'person',
  ]);
  assert.deepEqual(await refused({ path: `${path}?person=a&person=b` }), [
    400,
    'person: is given more than once',
    'person',
  ]);
  const bad = { method: 'PUT', path: `${path}/a` };
  assert.deepEqual(await refused({ ...bad, body: { text: 1 } }), [400, 'text: must be a string', 'text']);
  assert.deepEqual(await refused({ ...bad, body: { text: 'x', more: 1 } }), [
    400,
    'unknown fields: "more"',
    'more',
  ]);
  assert.equal((await call(url, { method: 'DELETE', path: `${path}/a` })).status, 405);
  // Local mode has no sessions.
  assert.equal((await call(url, { method: 'DELETE', path })).status, 503);
  const lines = await call(url, { path: '/v1/modules/notebook/lines', body: 'a\nb' });
  assert.deepEqual([lines.status, lines.text], [200, '2 lines']);

  const { json: openapi } = await call(url, { path: '/openapi.json' });
  const described = at(openapi, 'paths', `${path}/{key}`, 'put');
  assert.equal(at(described, 'summary'), 'Write a note');
  assert.equal(at(described, 'requestBody', 'required'), true);
  assert.deepEqual(at(described, 'tags'), ['notebook']);
  assert.equal(at(openapi, 'paths', path, 'get', 'parameters', 0, 'name'), 'person');
  const { json: capabilities } = await call(url, { path: '/v1/capabilities' });
  const modules = at(capabilities, 'modules');
  const [own] = Array.isArray(modules) ? modules.filter(({ name }) => name === 'notebook') : [];
  assert.equal(own.routes[0], `PUT ${path}/:key`);
  assert.ok(JSON.stringify(at(capabilities, 'features')).includes('"notes"'));
});

test('accounts reach their own data only, with the credentials that a route accepts', async (t) => {
  const url = await start(t, { mode: 'cloud', modules: [notebook()] });
  const path = '/v1/modules/notebook/notes';
  const [ann, bob] = [await Person.signUp(url), await Person.signUp(url)];
  const { key } = await ann.makeKey();
  const body = { text: 'of Ann' };
  assert.equal((await call(url, { method: 'PUT', path: `${path}/a`, body })).status, 401);
  const put = await call(url, { method: 'PUT', path: `${path}/a`, body, headers: bearer(key) });
  assert.equal(put.status, 200, put.text);
  assert.deepEqual((await ann.call({ path })).json, { notes: [{ key: 'a', text: 'of Ann' }] });
  assert.deepEqual((await bob.call({ path })).json, { notes: [] });
  assert.equal((await bob.call({ method: 'DELETE', path })).status, 404);
  assert.equal((await call(url, { method: 'DELETE', path, headers: bearer(key) })).status, 401);
  assert.equal((await ann.call({ method: 'DELETE', path })).status, 204);
  assert.equal((await ann.call({ method: 'DELETE', path })).status, 404);
  const limited = await ann.call({ method: 'DELETE', path });
  assert.deepEqual([limited.status, at(limited.json, 'error', 'message')], [429, 'two deletions per minute']);
});

test('a route that can not be served is refused at start, in one line', async () => {
  const route = (over: Partial<ModuleRoute>): ModuleRoute => ({
    method: 'GET',
    path: '/v1/modules/notebook/x',
    summary: 'x',
    access: 'key',
    responses: {},
    handle: () => ({}),
    ...over,
  });
  const refusals: readonly (readonly [RegExp, ...ModuleRoute[]])[] = [
    [
      /^module "notebook": GET \/v1\/patterns: the path must begin with \/v1\/modules\/notebook\/$/,
      route({ path: '/v1/patterns' }),
    ],
    [/^two routes serve GET \/v1\/modules\/notebook\/x$/, route({}), route({})],
    [
      /differ in the names of their parameters only$/,
      route({ path: '/v1/modules/notebook/:a' }),
      route({ method: 'PUT', path: '/v1/modules/notebook/:b' }),
    ],
    [/access must be one of/, route({ access: 'public' as never })],
    [/the method must be one of/, route({ method: 'TRACE' as never })],
    [/only names and :parameters/, route({ path: '/v1/modules/notebook/*' })],
  ];
  for (const [message, ...routes] of refusals)
    await assert.rejects(
      createGateway({ modules: [notebook({ routes: () => routes })] }).start(),
      (error) => {
        assert.ok(error instanceof Error);
        assert.match(error.message, message);
        assert.ok(!error.message.includes('\n'));
        return true;
      },
    );
});
