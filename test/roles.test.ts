import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Actor, type Right, rightsOf } from '../src/accounts/rights.ts';
import { roles } from '../src/kernel/ports/identities.ts';
import { startTestGateway, type TestGateway } from '../src/testing/test-gateway.ts';
import { at, fieldsOf } from './support/at.ts';
import { call, type RawAnswer } from './support/call.ts';
import { bearer, Person } from './support/cloud.ts';
import { addMember, createOrganization } from './support/organizations.ts';

interface DescribedRoute {
  readonly method: string;
  readonly path: string;
  readonly right: Right | undefined;
  /** The schemes of its credentials. */
  readonly schemes: readonly string[];
  readonly tag: string;
}

describe('each route and each role', () => {
  let gateway: TestGateway;
  let routes: readonly DescribedRoute[];
  /** Of each role, and an API key of the same account. */
  const tokens = new Map<Actor, string>();

  before(async () => {
    gateway = await startTestGateway({ WEIR_MODE: 'cloud' });
    routes = routesOf((await call(gateway.url, { path: '/openapi.json', method: 'GET' })).json);
    const owner = await createOrganization(await Person.signUp(gateway.url));
    tokens.set('owner', owner.token);
    for (const role of roles) if (role !== 'owner') tokens.set(role, (await addMember(owner, role)).token);
    const key = await owner.call({ path: '/v1/keys', body: {} });
    tokens.set('key', String(key.json.key));
  });
  after(() => gateway.close());

  test('a route for accounts needs a right', () => {
    const accountRoutes = routes.filter(
      ({ schemes, tag }) =>
        tag !== 'Inference' && schemes.some((scheme) => scheme === 'session' || scheme === 'apiKey'),
    );
    assert.ok(accountRoutes.length > 100, String(accountRoutes.length));
    const without = accountRoutes.filter(({ right }) => right === undefined);
    assert.deepEqual(without, []);
  });

  for (const actor of [...roles, 'key'] as const)
    test(`${actor === 'key' ? 'an API key' : `the role "${actor}"`} has the rights of the table, on every route`, async () => {
      const token = tokens.get(actor);
      assert.ok(token);
      for (const { method, path, right, schemes } of routes) {
        if (right === undefined) continue;
        const answer = await call(gateway.url, {
          method,
          path: path.replaceAll(/\{\w+\}/g, 'none'),
          headers: bearer(token),
          // Nothing is changed: access is checked before the body, and no route has this field.
          ...(method !== 'GET' && { body: { not_a_field: true } }),
        });
        const name = `${actor} ${method} ${path}: ${answer.status} ${answer.text}`;
        if (!schemes.includes(actor === 'key' ? 'apiKey' : 'session')) assert.equal(answer.status, 401, name);
        else assert.equal(lacksRight(answer, right), !rightsOf(actor).includes(right), name);
      }
    });
});

function lacksRight({ status, json }: RawAnswer, right: Right): boolean {
  if (status !== 403) return false;
  const { code, message } = fieldsOf(json.error);
  return code === 'forbidden' && String(message).includes(`the right "${right}"`);
}

function routesOf(document: object): readonly DescribedRoute[] {
  return Object.entries(fieldsOf(at(document, 'paths'))).flatMap(([path, operations]) =>
    Object.entries(fieldsOf(operations)).map(([method, operation]) => {
      const { 'x-required-right': right, security = [], tags } = fieldsOf(operation);
      assert.ok(Array.isArray(security) && Array.isArray(tags));
      return {
        method: method.toUpperCase(),
        path,
        right: right as Right | undefined,
        schemes: security.flatMap((one) => Object.keys(one)),
        tag: String(tags[0]),
      };
    }),
  );
}
