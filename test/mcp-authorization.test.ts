import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Sealer } from '../src/accounts/sealer.ts';
import { ownPath } from '../src/accounts/sign-on/return-path.ts';
import { GatewayError } from '../src/kernel/errors.ts';
import { AuthorizationFailure, type FailureName } from '../src/mcp/authorization/authorization-failure.ts';
import { AuthorizationRequired } from '../src/mcp/authorization/authorization-required.ts';
import {
  consentPagePolicy,
  renderConsentPage,
  renderForwardPage,
} from '../src/mcp/authorization/consent-page.ts';
import { resealAuthorizations } from '../src/mcp/authorization/reseal-authorizations.ts';
import { AuthorizationStage, accountId, personOf, stageKey } from './support/mcp-authorization.ts';
import { ProtectedServer, ScriptedAuthority, sendJson } from './support/scripted-authority.ts';

const failsWith = (reason: FailureName) => (error: unknown) => {
  assert.ok(error instanceof AuthorizationFailure, String(error));
  assert.equal(error.reason, reason, String(error.cause));
  return true;
};
const isRequired = (error: unknown) => error instanceof AuthorizationRequired;

describe('a person authorizes the gateway at an MCP server', () => {
  test('with PKCE, for the resource, and the token goes nowhere else', async (t) => {
    const stage = await AuthorizationStage.open(t);
    const replica = stage.replica();
    await assert.rejects(replica.credential().accessToken(), isRequired);
    const { url, cookie, consent } = await replica.begin();
    assert.deepEqual([consent.issuer, consent.resource], [stage.authority.url, stage.server.url]);
    assert.deepEqual(consent.scopes, ['read'], 'those of the challenge');
    const asked = new URL(url).searchParams;
    assert.equal(asked.get('resource'), stage.server.url);
    assert.equal(asked.get('code_challenge_method'), 'S256');
    assert.equal(asked.get('redirect_uri'), replica.clients.redirectUri(stage.authority.url));
    await replica.finish(stage.authority.agree(url), cookie);
    assert.equal(stage.authority.exchanges[0]?.get('resource'), stage.server.url);
    const token = await stage.replica().credential().accessToken();
    assert.ok(stage.authority.accepts(token, stage.server.url));
    const grant = await stage.database.mcpGrants.find({ accountId, personId: accountId, server: 'notes' });
    assert.ok(grant && !Buffer.from(grant.tokens.sealed).includes(token.slice(0, 12)), 'sealed');
    await assert.rejects(replica.credential(personOf('somebody else').caller).accessToken(), isRequired);
  });

  test('a server without a challenge says it at the well-known places', async (t) => {
    const stage = await AuthorizationStage.open(t);
    stage.server.challenge = undefined;
    const { consent } = await stage.replica().begin();
    assert.deepEqual(consent.scopes, ['read', 'write']);
    stage.server.handlers.set('/.well-known/oauth-protected-resource/mcp', (_, response) =>
      sendJson(response, 404, {}),
    );
    stage.server.handlers.set('/.well-known/oauth-protected-resource', (_, response) =>
      sendJson(response, 200, {
        resource: stage.server.origin,
        authorization_servers: [stage.authority.url],
      }),
    );
    assert.equal((await stage.replica().begin()).consent.resource, stage.server.origin);
    stage.server.handlers.set('/.well-known/oauth-protected-resource', (_, response) =>
      sendJson(response, 404, {}),
    );
    await assert.rejects(stage.replica().begin(), failsWith('no_metadata'));
  });

  test('an issuer with a path has its metadata in three places', async (t) => {
    const stage = await AuthorizationStage.open(t);
    const issuer = `${stage.authority.url}/tenant`;
    stage.server.document = { authorization_servers: [issuer] };
    stage.authority.handlers.set('/tenant/.well-known/openid-configuration', (_, response) =>
      sendJson(response, 200, {
        ...{
          issuer,
          code_challenge_methods_supported: ['S256'],
          registration_endpoint: `${stage.authority.url}/register`,
        },
        ...{ authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${stage.authority.url}/token` },
      }),
    );
    assert.equal((await stage.replica().begin()).consent.issuer, issuer);
  });

  test('the client is the registered one, then a document, then a registration', async (t) => {
    const stage = await AuthorizationStage.open(t);
    const replica = stage.replica();
    const clientIn = async () => new URL((await stage.replica().begin()).url).searchParams.get('client_id');
    assert.equal(await clientIn(), 'dynamic-1');
    assert.equal(await clientIn(), 'dynamic-1', 'once');
    stage.authority.document = { client_id_metadata_document_supported: true };
    const documentUrl = await clientIn();
    assert.match(documentUrl ?? '', /^https:\/\/weir\.example\/mcp\/clients\/[\w-]{22}$/);
    const { redirect_uris: uris, client_id: id } = Object(
      replica.clients.document(documentUrl?.split('/').at(-1) ?? ''),
    );
    assert.deepEqual([uris, id], [[replica.clients.redirectUri(stage.authority.url)], documentUrl]);
    await replica.clients.register(accountId, {
      issuer: stage.authority.url,
      clientId: 'ours',
      secret: 'sesame',
    });
    assert.equal(await clientIn(), 'ours');
    await stage.authorize();
    assert.equal(stage.authority.exchanges.at(-1)?.get('client_secret'), 'sesame');
    const [stored] = await stage.database.mcpClients.list(accountId);
    assert.ok(stored?.secret && !Buffer.from(stored.secret.sealed).includes('sesame'));
    stage.authority.document = { registration_endpoint: undefined };
    await replica.clients.remove(accountId, stage.authority.url);
    await assert.rejects(clientIn(), failsWith('no_client'));
  });

  test('scopes that a server asks for later are asked of the person', async (t) => {
    const stage = await AuthorizationStage.open(t);
    await stage.authorize();
    const credential = stage.replica().credential();
    const token = await credential.accessToken();
    const challenge = 'Bearer error="insufficient_scope", scope="write delete"';
    await assert.rejects(credential.onRejected(token, challenge), isRequired);
    assert.equal(await credential.accessToken(), token, 'the others work still');
    const { url, cookie, consent } = await stage.replica().begin();
    assert.deepEqual(consent.scopes, ['read', 'write', 'delete']);
    await stage.replica().finish(stage.authority.agree(url), cookie);
    const [grant] = await stage.replica().authorizations.list(stage.person);
    assert.deepEqual([grant?.scope, grant?.wantedScope], ['read write delete', undefined]);
  });

  test('a key that acts for nobody gets a clear error', async (t) => {
    const stage = await AuthorizationStage.open(t);
    const caller = { ...stage.person.caller, keyId: 'key', personId: undefined, roles: [] };
    assert.throws(
      () => stage.replica().credential(caller),
      (error) => GatewayError.is(error) && error.code === 'mcp_person_required',
    );
  });
});

test('tokens and secrets of clients are sealed anew after a change of the secret', async (t) => {
  const stage = await AuthorizationStage.open(t);
  await stage.authorize();
  const { mcpGrants: grants, mcpClients: clients } = stage.database;
  const [later, both] = [new Sealer([newKey]), new Sealer([newKey, stageKey])];
  await assert.rejects(stage.replica(later).credential().accessToken(), AuthorizationRequired);
  const reseal = (sealer: Sealer) =>
    resealAuthorizations({ grants, clients, sealers: { tokens: sealer, clients: sealer } });
  assert.deepEqual(await reseal(later), { resealed: 0, unreadable: 2 });
  assert.deepEqual(await reseal(both), { resealed: 2, unreadable: 0 });
  assert.deepEqual(await reseal(both), { resealed: 0, unreadable: 0 });
  const token = await stage.replica(later).credential().accessToken();
  assert.ok(stage.authority.accepts(token, stage.server.url));
  stage.clock.move(3_590_000);
  assert.notEqual(
    await stage.replica(later).credential().accessToken(),
    token,
    'with the secret of the client',
  );
});

const newKey = Buffer.alloc(32, 'new');

describe('tokens are refreshed', () => {
  test('once, however many replicas and calls need it', async (t) => {
    const stage = await AuthorizationStage.open(t);
    await stage.authorize();
    const before = await stage.replica().credential().accessToken();
    stage.clock.move(3_590_000);
    const replicas = [stage.replica(), stage.replica(), stage.replica()];
    const tokens = await Promise.all(
      replicas.flatMap((replica) => Array.from({ length: 5 }, () => replica.credential().accessToken())),
    );
    assert.equal(new Set(tokens).size, 1);
    assert.notEqual(tokens[0], before);
    assert.equal(stage.authority.exchanges.length, 2, 'the code, and one refresh');
    assert.equal(stage.authority.exchanges[1]?.get('resource'), stage.server.url);
    assert.equal(stage.authority.reuses, 0);
  });

  test('a rejected token is replaced once, by whoever comes first', async (t) => {
    const stage = await AuthorizationStage.open(t);
    await stage.authorize();
    const credentials = [stage.replica().credential(), stage.replica().credential()] as const;
    const token = await credentials[0].accessToken();
    assert.equal(await credentials[0].onRejected(token, undefined), false, 'a new one is not worth another');
    stage.clock.move(60_000);
    stage.authority.expireAll();
    assert.deepEqual(await Promise.all(credentials.map((one) => one.onRejected(token, undefined))), [
      true,
      true,
    ]);
    assert.ok(stage.authority.accepts(await credentials[1].accessToken(), stage.server.url));
    assert.equal(stage.authority.exchanges.length, 2);
  });

  test('a refresh that the issuer refuses ends the authorization; one that fails does not', async (t) => {
    const stage = await AuthorizationStage.open(t);
    await stage.authorize();
    stage.clock.move(3_590_000);
    stage.authority.handlers.set('/token', (_, response) => sendJson(response, 503, {}));
    const unavailable = (error: unknown) => GatewayError.is(error) && error.status === 502;
    await assert.rejects(stage.replica().credential().accessToken(), unavailable);
    stage.authority.handlers.delete('/token');
    await stage.replica().credential().accessToken();
    stage.clock.move(3_590_000);
    stage.authority.handlers.set('/token', (_, response) =>
      sendJson(response, 400, { error: 'invalid_grant' }),
    );
    await assert.rejects(stage.replica().credential().accessToken(), isRequired);
    const [grant] = await stage.replica().authorizations.list(stage.person);
    assert.equal(grant?.isEnded, true);
  });

  test('a process that dies with the lease holds nobody up for ever', async (t) => {
    const stage = await AuthorizationStage.open(t);
    await stage.authorize();
    stage.clock.move(3_590_000);
    const [grant] = await stage.replica().authorizations.list(stage.person);
    const id = { accountId, personId: accountId, server: 'notes' };
    const lease = { version: grant?.version ?? '', holder: 'dead' };
    const nowMs = stage.clock.now();
    assert.ok(await stage.database.mcpGrants.lease(id, lease, { nowMs, untilMs: nowMs + 20_000 }));
    const waiting = stage.replica().credential().accessToken();
    stage.clock.move(20_000);
    assert.ok(stage.authority.accepts(await waiting, stage.server.url));
  });
});

describe('attacks on authorizations', () => {
  test('audience confusion: a server can not have tokens made for another', async (t) => {
    const stage = await AuthorizationStage.open(t);
    for (const resource of [
      'https://api.github.com/',
      `${stage.authority.url}/mcp`,
      `${stage.server.origin}/other`,
      'x',
    ]) {
      stage.server.document = { resource };
      await assert.rejects(stage.replica().begin(), failsWith('resource_mismatch'));
    }
  });

  test('an issuer can not speak for another, and needs S256 and https', async (t) => {
    const stage = await AuthorizationStage.open(t);
    const cases: readonly (readonly [object, FailureName])[] = [
      [{ issuer: 'https://login.github.com' }, 'issuer_mismatch'],
      [{ issuer: `${stage.authority.url}/` }, 'issuer_mismatch'],
      [{ code_challenge_methods_supported: ['plain'] }, 'no_pkce'],
      [{ code_challenge_methods_supported: undefined }, 'no_pkce'],
      [{ token_endpoint: 'http://login.example/token' }, 'insecure_endpoint'],
      [{ token_endpoint: 'https://127.0.0.1/token' }, 'insecure_endpoint'],
      [{ authorization_endpoint: 'javascript:alert(1)' }, 'insecure_endpoint'],
      [{ revocation_endpoint: 'file:///etc/passwd' }, 'insecure_endpoint'],
      [{ token_endpoint: 7 }, 'issuer_unreachable'],
      [{ filler: 'x'.repeat(200_000) }, 'issuer_unreachable'],
    ];
    for (const [document, reason] of cases) {
      stage.authority.document = document;
      await assert.rejects(stage.replica().begin(), failsWith(reason));
    }
  });

  test('metadata can not lead the gateway to private addresses, directly or by a redirect', async (t) => {
    const stage = await AuthorizationStage.open(t);
    const inside = await ProtectedServer.start(t, stage.authority);
    let requests = 0;
    for (const path of ['/mcp', '/metadata', '/.well-known/oauth-authorization-server'])
      inside.handlers.set(path, (_, response) => {
        requests++;
        sendJson(response, 200, {});
      });
    stage.server.challenge = `Bearer resource_metadata="${inside.origin}/metadata"`;
    await assert.rejects(stage.replica().begin(), failsWith('no_metadata'));
    stage.server.challenge = undefined;
    stage.server.document = { authorization_servers: [inside.origin] };
    await assert.rejects(stage.replica().begin(), failsWith('insecure_endpoint'));
    stage.server.document = { authorization_servers: ['https://localhost', 'https://169.254.169.254'] };
    await assert.rejects(stage.replica().begin(), failsWith('insecure_endpoint'));
    stage.server.document = {};
    stage.authority.handlers.set('/.well-known/oauth-authorization-server', (_, response) =>
      response.writeHead(302, { location: `${inside.origin}/metadata` }).end(),
    );
    await assert.rejects(stage.replica().begin(), failsWith('issuer_unreachable'));
    stage.server.handlers.set('/mcp', (_, response) =>
      response.writeHead(307, { location: `${inside.origin}/mcp` }).end(),
    );
    await assert.rejects(stage.replica().begin(), failsWith('server_unreachable'));
    assert.equal(requests, 0);
  });

  test('mix-up: an answer counts for the issuer that it comes from', async (t) => {
    const stage = await AuthorizationStage.open(t);
    const honest = await ScriptedAuthority.start(t);
    const replica = stage.replica();
    // The hostile issuer sends the browser on to the honest one, which answers with its own code.
    const { url, cookie } = await replica.begin();
    const fromHonest = honest.agree(url);
    await assert.rejects(replica.finish(fromHonest, cookie), failsWith('issuer_mismatch'));
    const again = await replica.begin();
    const without = stage.authority.agree(again.url);
    without.searchParams.delete('iss');
    await assert.rejects(replica.finish(without, again.cookie), 'it has said that it sends iss');
    const third = await replica.begin();
    const elsewhere = stage.authority.agree(third.url);
    elsewhere.pathname = new URL(replica.clients.redirectUri(honest.url)).pathname;
    await assert.rejects(replica.finish(elsewhere, third.cookie), failsWith('attempt'));
    stage.authority.sendsIssuer = false;
    stage.authority.document = { client_id_metadata_document_supported: true };
    const byDocument = await stage.replica().begin();
    await assert.rejects(
      stage.replica().finish(stage.authority.agree(byDocument.url), byDocument.cookie),
      failsWith('issuer_mismatch'),
    );
    assert.equal(stage.authority.exchanges.length, 0, 'no code was sent to anybody');
  });

  test('an answer counts once, in the browser and the session that began, and in time', async (t) => {
    const stage = await AuthorizationStage.open(t);
    const replica = stage.replica();
    const first = await replica.begin();
    const other = await replica.begin();
    const back = stage.authority.agree(first.url);
    await assert.rejects(replica.finish(back, undefined), failsWith('attempt'));
    await assert.rejects(replica.finish(back, other.cookie), failsWith('attempt'), 'another attempt');
    await assert.rejects(
      replica.finish(back, `${first.cookie.slice(0, -4)}AAAA`),
      failsWith('attempt'),
      'forged',
    );
    const forged = new URL(back);
    forged.searchParams.set('state', 'forged');
    await assert.rejects(replica.finish(forged, first.cookie), failsWith('attempt'));
    await replica.finish(back, first.cookie);
    await assert.rejects(stage.replica().finish(back, first.cookie), failsWith('attempt'), 'again');
    const late = await replica.begin();
    stage.clock.move(600_001);
    await assert.rejects(replica.finish(stage.authority.agree(late.url), late.cookie), failsWith('attempt'));
    const ended = await replica.begin();
    stage.endedSessions.add('session');
    await assert.rejects(
      replica.finish(stage.authority.agree(ended.url), ended.cookie),
      failsWith('attempt'),
    );
    assert.equal(stage.authority.exchanges.length, 1);
  });

  test('confused deputy: nobody goes to an issuer without having confirmed this very question', async (t) => {
    const stage = await AuthorizationStage.open(t);
    const { authorizations } = stage.replica();
    const { ticket } = await authorizations.ask(stage.person, 'notes', undefined);
    const attackers = [personOf('somebody else'), personOf(accountId, 'another session')];
    for (const attacker of attackers)
      await assert.rejects(authorizations.begin(attacker, ticket), failsWith('attempt'));
    await assert.rejects(authorizations.begin(stage.person, 'made up'), failsWith('attempt'));
    await authorizations.begin(stage.person, ticket);
    await assert.rejects(authorizations.begin(stage.person, ticket), failsWith('attempt'), 'again');
    const second = await authorizations.ask(stage.person, 'notes', undefined);
    stage.define();
    await assert.rejects(authorizations.begin(stage.person, second.ticket), failsWith('changed'));
    await assert.rejects(authorizations.ask(stage.person, 'unknown', undefined), failsWith('unknown_server'));
    stage.define({ access: [{ tools: ['*'], roles: ['admin'] }] });
    await assert.rejects(
      authorizations.ask(stage.person, 'notes', undefined),
      failsWith('unknown_server'),
      'the same',
    );
  });

  test('a server that gets another address gets no token of the old one', async (t) => {
    const stage = await AuthorizationStage.open(t);
    await stage.authorize();
    const thief = await ProtectedServer.start(t, stage.authority);
    for (const url of [thief.url, `${stage.server.url}/other`]) {
      stage.define({}, url);
      await assert.rejects(stage.replica().credential().accessToken(), isRequired);
    }
    assert.deepEqual(thief.credentials, []);
  });

  test('a sealed token can not be moved to another person, server or issuer', async (t) => {
    const stage = await AuthorizationStage.open(t);
    await stage.authorize();
    const [grant] = await stage.replica().authorizations.list(stage.person);
    assert.ok(grant);
    stage.definitions.set('other', { ...stage.definition, name: 'other' });
    const moves = [
      { server: 'notes', issuer: 'https://other.example' },
      { resource: stage.server.origin },
      { clientId: 'x' },
    ];
    for (const move of moves) {
      await stage.database.mcpGrants.put({ ...grant, ...move });
      await assert.rejects(stage.replica().credential().accessToken(), isRequired);
    }
  });

  test('names and addresses of others are texts on the consent page', async (t) => {
    const stage = await AuthorizationStage.open(t);
    const { authorizations } = stage.replica();
    const { consent } = await authorizations.ask(stage.person, 'notes', undefined);
    const hostile = '"><script>alert(1)</script><img src=x onerror=alert(2)>';
    const page = renderConsentPage({
      consent: { ...consent, server: hostile, serverUrl: hostile, issuer: hostile, scopes: [hostile] },
      ticket: hostile,
      person: hostile,
    });
    assert.ok(!/<script|<img/.test(page));
    assert.equal(page.match(/<form/g)?.length, 1);
    assert.ok(!/<script|<img/.test(renderForwardPage(`https://issuer.example/?${hostile}`)));
    assert.match(consentPagePolicy, /default-src 'none'.*form-action 'self'; frame-ancestors 'none'/);
    assert.doesNotMatch(consentPagePolicy, /script-src|unsafe/);
  });

  test('people go on to paths of the gateway only', () => {
    for (const path of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/.//evil.example',
      'x',
      undefined,
    ])
      assert.equal(ownPath(path), '/');
    assert.equal(ownPath('/modules?x=1'), '/modules?x=1');
  });
});

describe('authorizations end', () => {
  test('by the person, here at once and at the issuer', async (t) => {
    const stage = await AuthorizationStage.open(t);
    await stage.authorize();
    const replica = stage.replica();
    const token = await replica.credential().accessToken();
    assert.deepEqual(await replica.authorizations.revoke(stage.person, 'notes'), { isRevokedAtIssuer: true });
    assert.deepEqual(stage.authority.revoked.includes(token), true);
    assert.equal(stage.authority.revoked.length, 2);
    await assert.rejects(stage.replica().credential().accessToken(), isRequired);
    assert.equal(await replica.authorizations.revoke(stage.person, 'notes'), undefined);
  });

  test('also if the issuer is away', async (t) => {
    const stage = await AuthorizationStage.open(t);
    await stage.authorize();
    stage.authority.handlers.set('/revoke', (_, response) => response.destroy());
    assert.deepEqual(await stage.replica().authorizations.revoke(stage.person, 'notes'), {
      isRevokedAtIssuer: false,
    });
    assert.deepEqual(await stage.replica().authorizations.list(stage.person), []);
  });

  test('one under way is worth nothing to who is no member any more', async (t) => {
    const stage = await AuthorizationStage.open(t);
    const stranger = personOf('5d0f7c5e-7a37-4b0b-9d5a-2f3c1c0a0002');
    const replica = stage.replica();
    const { url, cookie } = await replica.begin(stranger);
    await assert.rejects(replica.finish(stage.authority.agree(url), cookie), failsWith('removed'));
  });

  test('with the server, and with the account', async (t) => {
    const stage = await AuthorizationStage.open(t);
    await stage.authorize();
    await stage.database.mcpGrants.forgetServer(accountId, 'notes');
    assert.deepEqual(await stage.replica().authorizations.list(stage.person), []);
    await stage.authorize();
    await stage.database.mcpGrants.forget(accountId);
    assert.deepEqual(await stage.database.mcpClients.list(accountId), []);
    assert.deepEqual(await stage.replica().authorizations.list(stage.person), []);
  });
});
