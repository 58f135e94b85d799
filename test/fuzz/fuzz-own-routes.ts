import assert from 'node:assert/strict';
import fc from 'fast-check';
import { at, fieldsOf } from '../support/at.ts';
import { call, type RawAnswer, type RawRequest } from '../support/call.ts';

interface Operation {
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  readonly fields: readonly string[];
  readonly query: readonly string[];
}

/** What can be put in a place, by kind; what holds stands before what doesn't, after no credential at all. */
interface Arsenal {
  readonly ids: readonly string[];
  readonly credentials: readonly (readonly string[])[];
}

export interface RouteFuzzing {
  /** How long requests are made at random, after every route got its hostile values. */
  readonly ms?: number;
  /** In place of a time: how many requests are made at random. */
  readonly randomCalls?: number;
  readonly seed: number;
  /** Of the hostile values one in so many, which ones by the seed; each of them where it isn't said. */
  readonly oneIn?: number;
}

/** Asks every route that the gateway describes for anything at all; throws with the first answer that can't be. */
export async function fuzzOwnRoutes(
  url: string,
  arsenal: Arsenal,
  { ms, randomCalls = Number.MAX_SAFE_INTEGER, seed, oneIn = 1 }: RouteFuzzing,
): Promise<number> {
  const operations = operationsOf((await call(url, { path: '/openapi.json' })).json);
  assert.ok(operations.length > 20, 'the description lists the routes');
  let calls = 0;
  const ask = async (sent: RawRequest) => {
    calls++;
    check(await call(url, sent), sent);
  };
  const hostile = operations.flatMap((operation) => everyHostile(operation, arsenal));
  for (let next = seed % oneIn; next < hostile.length; next += oneIn) {
    const sent = hostile[next];
    if (sent !== undefined) await ask(sent);
  }
  await fc.assert(fc.asyncProperty(anything(operations, arsenal), ask), {
    seed,
    numRuns: randomCalls,
    ...(ms !== undefined && { interruptAfterTimeLimit: ms }),
  });
  return calls;
}

function check(answer: RawAnswer, sent: RawRequest): void {
  const { status, headers, json, text } = answer;
  const what = `${sent.method} ${sent.path} ${JSON.stringify(sent.body)?.slice(0, 300)}: ${status} ${text.slice(0, 300)}`;
  assert.match(String(headers['x-request-id']), /^req_/, what);
  assert.equal(headers['x-evil'], undefined, what);
  if (status < 400) return;
  const isLacking = status === 503 && headers['x-should-retry'] === 'false';
  assert.ok(status < 500 || isLacking || isFaultOfProvider(status, sent.path), what);
  if (sent.method === 'HEAD') return;
  // A price is a problem of its own form, which wallets know.
  if (status === 402) {
    assert.equal(headers['content-type'], 'application/problem+json', what);
    assert.match(String(headers['www-authenticate']), /^Payment id="mpp_/, what);
    assert.equal(json.status, 402, what);
    return;
  }
  if (isInOwnForm(answer, sent.path)) return;
  assert.equal(isLacking, lacking.has(at(json, 'error', 'code')), what);
  assert.equal(json.type, 'error', what);
  for (const field of ['type', 'message']) assert.equal(typeof at(json, 'error', field), 'string', what);
  // Google's clients expect the status there.
  const code = at(json, 'error', 'code');
  const isGoogles =
    /^\/(((up|down)load\/)?v1beta1?\/|v1\/(models|projects|publishers)\/[^/]*:)/.test(sent.path) &&
    code === status;
  assert.ok(isGoogles || typeof code === 'string', what);
  assert.equal(json.request_id, headers['x-request-id'], what);
}

/** Protocols with errors of their own form: SCIM, MCP, and the pages on which people authorize MCP servers. */
function isInOwnForm({ status, headers, json, text }: RawAnswer, path: string): boolean {
  const type = String(headers['content-type']);
  if (path.startsWith('/scim/v2/'))
    return (
      type.startsWith('application/scim+json') &&
      at(json, 'schemas', '0') === 'urn:ietf:params:scim:api:messages:2.0:Error' &&
      json.status === String(status)
    );
  if (/^\/(mcp\/authorize|v1\/mcp\/callback)\//.test(path))
    return type.startsWith('text/html') && headers['content-security-policy'] !== undefined && text !== '';
  return (
    /^\/mcp(?![\w-])/.test(path) &&
    json.jsonrpc === '2.0' &&
    typeof at(json, 'error', 'code') === 'number' &&
    typeof at(json, 'error', 'message') === 'string'
  );
}

/** Routes of what providers store pass on what the provider says, and it may say anything. */
function isFaultOfProvider(status: number, path: string): boolean {
  return (
    status === 502 &&
    /^\/(v1\/responses\/|v1(beta)?\/interactions\/|((up|down)load\/)?v1(beta)?\/files\b|v1\/(messages\/)?batches\b)/.test(
      path,
    )
  );
}

/** What a gateway says that doesn't have something, and won't when it is asked again. */
const lacking: ReadonlySet<unknown> = new Set([
  'local_mode',
  'billing_not_configured',
  'mail_not_configured',
]);

function operationsOf(description: object): readonly Operation[] {
  return Object.entries(fieldsOf(at(description, 'paths'))).flatMap(([path, methods]) =>
    Object.entries(fieldsOf(methods)).map(([method, operation]) => {
      const schema = at(operation, 'requestBody', 'content', 'application/json', 'schema');
      const parameters = at(operation, 'parameters');
      const named = Array.isArray(parameters) ? parameters : [];
      return {
        method: method.toUpperCase(),
        path,
        fields: Object.keys(fieldsOf(at(schema, 'properties'))),
        query: named.filter((one) => at(one, 'in') === 'query').map((one) => String(at(one, 'name'))),
      };
    }),
  );
}

const nasty: readonly string[] = [
  '',
  ' ',
  'x',
  "' or 1=1; drop table users; --",
  '"; select pg_sleep(10); --',
  '\r\nx-evil: 1',
  'é🔑‮',
  '../../etc/passwd',
  '__proto__',
  'ada@example.com',
  'correct horse battery',
  'exact-cache?ttl=never',
  '2026-13-45',
  '0000-00-00',
  '99999999999999999999',
  'x'.repeat(10_000),
];
const values: readonly unknown[] = [
  ...nasty,
  null,
  true,
  0,
  -1,
  1e308,
  2 ** 53,
  [],
  {},
  [[]],
  { a: { b: [1] } },
];
const methods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Bodies that are wrong before anybody looks at their fields, or that no parser should choke on. */
function hostileBodies([field = 'name']: readonly string[]): readonly (string | Uint8Array)[] {
  const name = JSON.stringify(field);
  return [
    '',
    '{}',
    '[]',
    'null',
    '"x"',
    '{',
    `{${name}:1,${name}:2}`,
    `{${name}:"a\\u0000b"}`,
    `{${name}:"a\\ud800"}`,
    `{"\\ud800":1}`,
    '{"__proto__":{"admin":true}}',
    `{${name}:"${'x'.repeat(1024 * 1024)}"}`,
    `{${name}:${'['.repeat(500)}${']'.repeat(500)}}`,
    `{${name}:${'{"a":'.repeat(150)}1${'}'.repeat(150)}}`,
    `\ufeff{}`,
    Uint8Array.of(0xff, 0xfe, 0x00),
    Uint8Array.of(0x1f, 0x8b, 0x08),
  ];
}

/** Each hostile value in each place once. */
function everyHostile(operation: Operation, arsenal: Arsenal): readonly RawRequest[] {
  const { method, fields } = operation;
  const credentials = credentialsFor(operation, arsenal);
  const path = filled(operation, arsenal.ids[0] ?? 'x');
  const bodies = credentials
    .slice(0, 3)
    .flatMap((headers) => hostileBodies(fields).map((body): RawRequest => ({ method, path, headers, body })));
  // Those that hold come first; models take dozens of fields, and one of a kind will do.
  const typed = credentials
    .slice(1, 3)
    .flatMap((headers) =>
      fields
        .slice(0, 6)
        .flatMap((field) =>
          values.map((value): RawRequest => ({ method, path, headers, body: { [field]: value } })),
        ),
    );
  const places = [...arsenal.ids, ...nasty.map(encodeURIComponent), '%00', '%zz', '%ff', '..%2f..'];
  const elsewhere = places.map(
    (id): RawRequest => ({
      method: operation.method,
      path: filled(operation, id),
      headers: credentials[1] ?? [],
    }),
  );
  const asked = operation.query.flatMap((name) =>
    nasty.map(
      (value): RawRequest => ({
        method: operation.method,
        path: `${path}?${name}=${encodeURIComponent(value)}&${name}=2`,
        headers: credentials[1] ?? [],
      }),
    ),
  );
  const otherwise = methods.map((method): RawRequest => ({ method, path, headers: credentials[1] ?? [] }));
  return [...bodies, ...typed, ...elsewhere, ...asked, ...otherwise];
}

function anything(operations: readonly Operation[], arsenal: Arsenal): fc.Arbitrary<RawRequest> {
  const text = fc.oneof(fc.constantFrom(...nasty), fc.string({ unit: 'binary', maxLength: 300 }));
  return fc.constantFrom(...operations).chain((operation) => {
    const fields = fc.dictionary(
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom('name', ...operation.fields) },
        { weight: 1, arbitrary: text },
      ),
      fc.oneof(text, fc.constantFrom(...values), fc.jsonValue({ maxDepth: 3 })),
      { maxKeys: 4 },
    );
    return fc.record({
      method: fc.oneof(
        { weight: 9, arbitrary: fc.constant(operation.method) },
        { weight: 1, arbitrary: fc.constantFrom(...methods) },
      ),
      path: fc
        .tuple(fc.oneof(fc.constantFrom(...arsenal.ids), text), text)
        .map(
          ([id, asked]) => `${filled(operation, escaped(id))}?${operation.query[0] ?? 'q'}=${escaped(asked)}`,
        ),
      headers: fc
        .tuple(fc.constantFrom(...credentialsFor(operation, arsenal)), extraHeaders)
        .map(([credential, extra]) => [...credential, ...extra]),
      body: fc.oneof(
        fields.map((object) => JSON.stringify(object)),
        fc.uint8Array({ maxLength: 200 }),
        fc.json(),
      ),
    });
  });
}

const extraHeaders: fc.Arbitrary<readonly string[]> = fc.oneof(
  fc.constant([]),
  fc.tuple(
    fc.constantFrom(
      'content-type',
      'content-encoding',
      'accept',
      'x-weir-pipeline',
      'x-provider-key',
      'if-match',
    ),
    fc.constantFrom('text/plain', 'application/json', 'gzip', 'none', 'exact-cache', 'no-such', 'a=b', '*'),
  ),
);

/** A session that is logged out, or whose account is gone, would be no use to the tries that come after. */
function credentialsFor(
  { method, path }: Operation,
  { credentials }: Arsenal,
): readonly (readonly string[])[] {
  const ends = path === '/v1/users/logout' || (method === 'DELETE' && path === '/v1/users/me');
  return ends ? credentials.filter(([, value]) => !value?.includes('.')) : credentials;
}

function filled({ path }: Operation, id: string): string {
  return path.replaceAll(/\{\w+\}/g, () => id);
}

function escaped(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
