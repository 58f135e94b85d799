import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, fieldsOf } from './support/at.ts';
import { call, type RawAnswer } from './support/call.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';
import { DnsServer } from './support/dns-server.ts';
import { gatewaysOnStores } from './support/gateways-on-stores.ts';
import { addMember, createOrganization, type MemberSession, sessionIn } from './support/organizations.ts';
import { sendJson } from './support/scripted-issuer.ts';
import { adminToken, SignOnStage } from './support/sign-on.ts';

const path = '/v1/organization/sign-on';

for (const [stores, start] of Object.entries(gatewaysOnStores))
  describe(`domains on ${stores}`, () => {
    test('several organizations may claim one, and the one with the DNS record has it', async (t) => {
      const dns = await DnsServer.start(t);
      const [url] = await start(t, { WEIR_DNS_SERVERS: dns.address, WEIR_ADMIN_TOKEN: adminToken });
      const acme = await createOrganization(await Person.signUp(url));
      const eve = await createOrganization(await Person.signUp(url), 'Evil');
      const claim = (by: MemberSession, domain: string) =>
        by.call({ path: `${path}/domains`, body: { domain } });
      const prove = (by: MemberSession) => by.call({ path: `${path}/domains/acme.example/prove`, body: {} });
      const [own, others] = [await claim(acme, ' ACME.example. '), await claim(eve, 'acme.example')];
      assert.deepEqual([own.status, own.json.domain, own.json.proven_at], [201, 'acme.example', null]);
      const recordOf = ({ json }: RawAnswer) => fieldsOf(json.record);
      assert.notEqual(recordOf(own).value, recordOf(others).value);
      assert.deepEqual(recordOf(await claim(acme, 'acme.example')), recordOf(own), 'the same claim again');
      assertRefused(await prove(acme), 409, 'domain_unproven');
      dns.records.set('_weir.acme.example', ['v=spf1 -all', String(recordOf(own).value)]);
      assertRefused(await prove(eve), 409, 'domain_unproven');
      const proven = await prove(acme);
      assert.deepEqual([proven.status, proven.json.proven_by], [200, 'dns'], proven.text);
      dns.records.set('_weir.acme.example', [String(recordOf(others).value)]);
      assertRefused(await prove(eve), 409, 'domain_taken');
      // Whoever gives it up leaves it to others.
      assert.equal((await acme.call({ method: 'DELETE', path: `${path}/domains/acme.example` })).status, 204);
      const [one, two] = await Promise.all([prove(eve), prove(eve)]);
      assert.deepEqual([one.status, two.status], [200, 200]);
      for (const wrong of ['localhost', '10.0.0.1', 'a b.example', '-a.example', ''])
        assertRefused(await claim(acme, wrong), 400, 'invalid_request');
    });

    test('of two who have the record at the same time, one gets the domain', async (t) => {
      const dns = await DnsServer.start(t);
      const [url, other] = await start(t, { WEIR_DNS_SERVERS: dns.address });
      const sessions = await Promise.all(
        [url, other].map(async (one) => createOrganization(await Person.signUp(one))),
      );
      const claims = await Promise.all(
        sessions.map((one) => one.call({ path: `${path}/domains`, body: { domain: 'acme.example' } })),
      );
      dns.records.set(
        '_weir.acme.example',
        claims.map(({ json }) => String(at(json, 'record', 'value'))),
      );
      const prove = { path: `${path}/domains/acme.example/prove`, body: {} };
      const proofs = await Promise.all(sessions.map((one) => one.call(prove)));
      assert.deepEqual(proofs.map(({ status }) => status).toSorted(), [200, 409]);
    });
  });

describe('the settings of single sign-on', () => {
  const start = gatewaysOnStores['the embedded store'];
  assert.ok(start);

  test('the secret is never shown, stays where it is, and goes to no other issuer', async (t) => {
    const stage = await SignOnStage.open(t, start);
    const shown = await stage.owner.call({ path });
    assert.equal(shown.json.has_secret, true);
    assert.ok(!shown.text.includes('"secret"'));
    assert.equal(shown.json.redirect_uri, `${stage.urls[0]}/v1/sign-on/${stage.organizationId}/callback`);
    assert.equal((await stage.configure({ client_secret: undefined })).json.has_secret, true);
    const moved = await stage.configure({ client_secret: undefined, issuer: 'https://login.example.com' });
    assertRefused(moved, 400, 'invalid_request');
    assert.equal((await stage.configure({ client_secret: null })).json.has_secret, false);
    assert.equal((await stage.owner.call({ method: 'DELETE', path })).status, 204);
    assertRefused(await stage.owner.call({ path }), 404, 'not_found');
    const exported = await stage.owner.call({ path: '/v1/account/export' });
    assert.ok(!exported.text.includes('sealed'));
  });

  test('what would lock everybody out, or reach into the network, is refused', async (t) => {
    const stage = await SignOnStage.open(t, start);
    const bob = await addMember(stage.owner, 'admin');
    const wrong = [
      { issuer: 'http://login.example.com' },
      { issuer: 'https://10.0.0.1' },
      { issuer: 'https://localhost' },
      { issuer: 'https://login.example.com?x=1' },
      { issuer: 'https://user@login.example.com' },
      { issuer: 'login' },
      { default_role: 'king' },
      { break_glass: bob.person.id },
      { break_glass: 'nobody' },
      { enforced: true },
      { unknown: 1 },
    ];
    for (const body of wrong) assertRefused(await stage.configure(body), 400, 'invalid_request');
    const { organizationId, person } = stage.owner;
    const domains = `${path}/domains/acme.example`;
    assert.equal((await stage.owner.call({ method: 'DELETE', path: domains })).status, 204);
    const enforced = { enforced: true, break_glass: person.id };
    assertRefused(await stage.configure(enforced), 409, 'domain_unproven');
    const body = { issuer: 'https://login.example.com', client_id: 'weir' };
    assertRefused(await bob.call({ method: 'PUT', path, body }), 403, 'forbidden');
    const own = await sessionIn(person, person.id);
    assertRefused(await own.call({ method: 'PUT', path, body }), 403, 'forbidden');
    assert.notEqual(own.organizationId, organizationId);
  });

  test('the test says of each step what works and what does not', async (t) => {
    const stage = await SignOnStage.open(t, start);
    const { issuer } = stage;
    const results = async () => {
      const { json, text } = await stage.owner.call({ path: `${path}/test`, body: {} });
      assert.ok(Array.isArray(json.steps), text);
      const steps = json.steps.map((one) => [String(at(one, 'step')), at(one, 'ok')] as const);
      return { ok: json.ok, steps: Object.fromEntries(steps), text };
    };
    const good = await results();
    assert.equal(good.ok, true, good.text);
    assert.deepEqual(Object.keys(good.steps), [
      'discovery',
      'endpoints',
      'pkce',
      'keys',
      'client',
      'domains',
    ]);
    issuer.handlers.set('/token', (_, response) => sendJson(response, { error: 'invalid_client' }, 401));
    issuer.handlers.set('/keys', (_, response) => sendJson(response, { keys: [] }));
    issuer.document = { code_challenge_methods_supported: ['plain'] };
    const { steps } = await results();
    assert.deepEqual([steps.discovery, steps.pkce, steps.keys, steps.client], [true, false, false, false]);
    issuer.document = { issuer: 'https://login.example.com' };
    assert.equal((await results()).steps.discovery, false);
  });

  test('an operator confirms domains and takes them away', async (t) => {
    const { url } = await startCloud(t, { WEIR_ADMIN_TOKEN: adminToken });
    const acme = await createOrganization(await Person.signUp(url));
    const operator = (method: string, domain: string, body?: object) =>
      call(url, {
        method,
        path: `/v1/operator/domains${domain}`,
        headers: bearer(adminToken),
        ...(body && { body }),
      });
    const confirm = (id: string) => operator('PUT', '/acme.example', { organization_id: id });
    assertRefused(await confirm('none'), 404, 'not_found');
    assert.equal((await confirm(acme.organizationId)).status, 200);
    const other = await createOrganization(await Person.signUp(url), 'Other');
    assertRefused(await confirm(other.organizationId), 409, 'domain_taken');
    const { json } = await operator('GET', '');
    assert.deepEqual(at(json, 'domains', 0, 'organization_id'), acme.organizationId);
    assert.equal((await operator('DELETE', '/acme.example')).status, 204);
    assertRefused(await operator('DELETE', '/acme.example'), 404, 'not_found');
    assert.equal((await confirm(other.organizationId)).status, 200);
    assertRefused(await call(url, { path: '/v1/operator/domains' }), 401, 'authentication_required');
  });
});

function assertRefused({ status, json, text }: RawAnswer, expected: number, code: string): void {
  assert.deepEqual([status, fieldsOf(json.error).code], [expected, code], text);
}
