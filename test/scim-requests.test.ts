import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from './support/at.ts';
import { gatewaysOnStores } from './support/gateways-on-stores.ts';
import { assertScimError, coreGroup, coreUser, resourcesIn, ScimClient, valuesIn } from './support/scim.ts';
import { SignOnStage } from './support/sign-on.ts';

const start = gatewaysOnStores['the embedded store'];
assert.ok(start);

test('requests of identity providers', async (t) => {
  const stage = await SignOnStage.open(t, start);
  const directory = await ScimClient.open(stage.owner);

  await t.test('Okta creates a user, finds it, and replaces it', async () => {
    const none = await directory.find('Users', 'userName eq "okta@acme.example"', '&startIndex=1&count=100');
    assert.deepEqual([none.json.totalResults, none.json.itemsPerPage], [0, 0], none.text);
    const sent = {
      schemas: [coreUser],
      userName: 'okta@acme.example',
      name: { givenName: 'Ann', middleName: 'X', familyName: 'Smith' },
      emails: [{ primary: true, value: 'okta@acme.example', type: 'work', display: 'okta@acme.example' }],
      password: 'never stored',
      displayName: 'Ann Smith',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      active: true,
    };
    const made = await directory.call({ path: '/Users', body: sent });
    assert.equal(made.status, 201, made.text);
    assert.equal(made.headers['content-type'], 'application/scim+json');
    assert.ok(!made.text.includes('never stored'));
    assert.deepEqual(made.json.name, { givenName: 'Ann', familyName: 'Smith' });
    const path = `/Users/${made.json.id}`;
    assert.ok(
      String(at(made.json, 'meta', 'location')).endsWith(`/scim/v2/${directory.organizationId}${path}`),
    );
    assertScimError(await directory.call({ path: '/Users', body: sent }), 409, 'uniqueness');
    const upper = { ...sent, userName: 'OKTA@acme.example', emails: [] };
    assertScimError(await directory.call({ path: '/Users', body: upper }), 409, 'uniqueness');
    const found = await directory.find('Users', 'userName eq "Okta@ACME.example"');
    assert.deepEqual(valuesIn(found, 'id'), [made.json.id]);
    const put = await directory.call({
      method: 'PUT',
      path,
      body: { ...sent, displayName: 'Ann B.', name: {} },
    });
    assert.deepEqual([put.status, put.json.displayName, put.json.name], [200, 'Ann B.', undefined], put.text);
    const off = await directory.patch(path, { op: 'replace', value: { active: false } });
    assert.equal(off.json.active, false);
    const whole = await directory.call({ method: 'PUT', path, body: { userName: 'okta@acme.example' } });
    assert.equal(whole.json.active, false, 'a replacement without it wakes nobody up');
  });

  await t.test('Entra ID changes users in its own way', async () => {
    const id = await directory.user({
      schemas: [coreUser, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
      externalId: 'object-1',
      userName: 'entra@acme.example',
      active: 'True',
      emails: [{ primary: true, type: 'work', value: 'entra@acme.example' }],
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Search' },
    });
    const path = `/Users/${id}`;
    const changed = await directory.patch(
      path,
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'entra.b@acme.example' },
      { op: 'Add', path: 'name.givenName', value: 'Eve' },
      { op: 'Add', value: { 'name.familyName': 'Jones', displayName: 'Eve Jones' } },
      {
        op: 'Replace',
        path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
        value: 'Sales',
      },
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '1' },
      { op: 'Replace', path: 'active', value: 'False' },
    );
    assert.equal(changed.status, 200, changed.text);
    const { active, name, displayName, emails } = changed.json;
    assert.deepEqual([active, displayName], [false, 'Eve Jones']);
    assert.deepEqual(name, { givenName: 'Eve', familyName: 'Jones' });
    assert.deepEqual(emails, [{ value: 'entra.b@acme.example', type: 'work', primary: true }]);
    const filter = 'externalId eq "object-1" and active eq "False"';
    assert.deepEqual(valuesIn(await directory.find('Users', filter), 'id'), [id]);
    const byMail = 'emails[type eq "work"].value eq "entra.b@acme.example"';
    assertScimError(await directory.find('Users', 'emails[type eq "work"'), 400, 'invalidFilter');
    assert.deepEqual(valuesIn(await directory.find('Users', byMail), 'id'), [id]);
    const removed = await directory.patch(path, { op: 'Remove', path: 'displayName' });
    assert.equal(removed.json.displayName, undefined);
  });

  await t.test('both change who is in a group', async () => {
    const [one, two] = [
      await directory.user({ userName: 'one@acme.example' }),
      await directory.user({ userName: 'two@acme.example' }),
    ];
    const id = await directory.group('Staff', [], { externalId: 'group-1' });
    const path = `/Groups/${id}`;
    const members = async () => {
      const { json } = await directory.call({ path });
      assert.ok(Array.isArray(json.members));
      return json.members.map((member) => at(member, 'value')).toSorted();
    };
    const value = [{ value: one }, { $ref: null, value: two }];
    assert.equal((await directory.patch(path, { op: 'Add', path: 'members', value })).status, 204);
    assert.deepEqual(await members(), [one, two].toSorted());
    await directory.patch(path, { op: 'Remove', path: 'members', value: [{ value: one }] });
    assert.deepEqual(await members(), [two]);
    await directory.patch(path, { op: 'add', path: 'members', value: [{ value: two, display: 'two' }] });
    assert.deepEqual(await members(), [two], 'once more is the same');
    await directory.patch(path, { op: 'replace', path: 'members', value: [{ value: one }] });
    assert.deepEqual(await members(), [one]);
    await directory.patch(path, { op: 'replace', value: { id, displayName: 'Everybody' } });
    const put = await directory.call({
      ...{ method: 'PUT', path },
      body: { schemas: [coreGroup], displayName: 'Everybody', members: value },
    });
    assert.deepEqual([put.status, put.json.externalId], [200, undefined], put.text);
    assert.deepEqual(await members(), [one, two].toSorted());
    await directory.patch(path, { op: 'remove', path: `members[value eq "${one}" or value eq "${two}"]` });
    assert.deepEqual(await members(), []);
    const listed = await directory.find(
      'Groups',
      'displayName eq "everybody"',
      '&excludedAttributes=members',
    );
    assert.deepEqual(valuesIn(listed, 'members'), [undefined]);
    await directory.patch(path, { op: 'add', path: 'members', value: [{ value: one }] });
    assert.deepEqual(valuesIn(await directory.find('Groups', `members eq "${one}"`), 'id'), [id]);
    assert.deepEqual(valuesIn(await directory.find('Groups', `members[value eq "${two}"]`), 'id'), []);
    const wrong = { op: 'add', path: 'members', value: [{ value: 'nobody' }] };
    assertScimError(await directory.patch(path, wrong), 400, 'invalidValue');
    assertScimError(
      await directory.call({ path: '/Groups', body: { displayName: 'EVERYBODY' } }),
      409,
      'uniqueness',
    );
    await directory.patch(path, { op: 'remove', path: 'members' });
    assert.deepEqual(await members(), []);
  });

  await t.test('lists have pages, filters and the attributes that are asked for', async () => {
    for (const name of ['p1', 'p2', 'p3']) await directory.user({ userName: `${name}@acme.example` });
    const filter = '(userName sw "p" and not (userName eq "p2@acme.example")) or userName co "p2"';
    const all = await directory.find('Users', filter);
    assert.deepEqual(valuesIn(all, 'userName'), ['p1@acme.example', 'p2@acme.example', 'p3@acme.example']);
    const page = await directory.find(
      'Users',
      filter,
      '&startIndex=2&count=1&attributes=userName,emails.value',
    );
    const { totalResults, startIndex, itemsPerPage } = page.json;
    assert.deepEqual([totalResults, startIndex, itemsPerPage], [3, 2, 1]);
    const [shown] = resourcesIn(page);
    assert.deepEqual(Object.keys(Object(shown)), ['schemas', 'id', 'userName', 'emails']);
    assert.deepEqual(at(shown, 'emails', 0), { value: 'p2@acme.example' });
    const none = await directory.find('Users', filter, '&count=0&startIndex=-3');
    assert.deepEqual([none.json.totalResults, resourcesIn(none)], [3, []]);
    const later = `meta.lastModified gt "${new Date(Date.now() + 60_000).toISOString()}"`;
    assert.deepEqual(resourcesIn(await directory.find('Users', later)), []);
    assert.equal(resourcesIn(await directory.find('Users', 'externalId pr and userName sw "p"')).length, 0);
    const wrong = [
      ...['userName', 'userName eq', 'userName eq ann', 'userName is "x"', '(userName eq "x"', 'eq "x"'],
      ...['password eq "x"', 'active gt true', 'meta.created gt "soon"', 'userName eq "x" userName', '"'],
      ...[`${'('.repeat(50)}userName pr${')'.repeat(50)}`, Array(40).fill('userName pr').join(' or ')],
      ...['x'.repeat(3000), "userName eq 'x' or 1=1", 'not userName pr'],
    ];
    for (const text of wrong) assertScimError(await directory.find('Users', text), 400, 'invalidFilter');
    const quoted = String.raw`userName eq "x\" or userName sw \"p"`;
    assert.deepEqual(resourcesIn(await directory.find('Users', quoted)), []);
    assert.deepEqual(resourcesIn(await directory.find('Users', 'userName sw "%"')), []);
  });

  await t.test('versions keep two clients from overwriting each other', async () => {
    const id = await directory.user({ userName: 'etag@acme.example' });
    const path = `/Users/${id}`;
    const read = await directory.call({ path });
    const etag = String(read.headers.etag);
    assert.equal(etag, at(read.json, 'meta', 'version'));
    assert.equal((await directory.call({ path, headers: ['if-none-match', etag] })).status, 304);
    const rename = (displayName: string, headers: readonly string[]) =>
      directory.call({
        ...{ method: 'PATCH', path, headers },
        body: { Operations: [{ op: 'replace', path: 'displayName', value: displayName }] },
      });
    assert.equal((await rename('One', ['if-match', etag])).status, 200);
    assertScimError(await rename('Two', ['if-match', etag]), 412);
    assert.equal((await rename('Two', ['if-match', '*'])).status, 200);
    assertScimError(await directory.call({ method: 'DELETE', path, headers: ['if-match', etag] }), 412);
  });

  await t.test('what makes no sense is refused in the words of the standard', async () => {
    const id = await directory.user({ userName: 'wrong@acme.example' });
    const path = `/Users/${id}`;
    const refusals: readonly (readonly [object, string])[] = [
      [{ op: 'move', path: 'userName', value: 'x' }, 'invalidSyntax'],
      [{ op: 'remove' }, 'noTarget'],
      [{ op: 'replace', path: 'userName', value: null }, 'invalidValue'],
      [{ op: 'replace', path: 'userName', value: 7 }, 'invalidValue'],
      [{ op: 'replace', path: 'active', value: 'maybe' }, 'invalidValue'],
      [{ op: 'replace', path: 'emails[', value: 'x' }, 'invalidPath'],
      [{ op: 'replace', path: 'userName.first.second', value: 'x' }, 'invalidPath'],
      [{ op: 'replace', value: 'x' }, 'invalidValue'],
      [{ op: 'replace', path: 'emails', value: [{ value: 'ann@evil.example' }] }, 'invalidValue'],
      [{ op: 'replace', path: 'emails[value sw "z"].value', value: 'x@acme.example' }, 'noTarget'],
    ];
    for (const [operation, scimType] of refusals)
      assertScimError(await directory.patch(path, operation), 400, scimType);
    assertScimError(await directory.patch(path), 400, 'invalidSyntax');
    assertScimError(await directory.call({ path: '/Users', body: '{"userName":' }), 400);
    assertScimError(await directory.call({ path: '/Users', body: { active: true } }), 400, 'invalidValue');
    assertScimError(await directory.call({ path: '/Users/none' }), 404);
    assertScimError(await directory.call({ method: 'DELETE', path: `/Groups/${crypto.randomUUID()}` }), 404);
    const many = Array(1001).fill({ op: 'add', path: 'displayName', value: 'x' });
    assertScimError(await directory.patch(path, ...many), 400, 'tooMany');
  });

  await t.test('what the gateway can do is described', async () => {
    const config = await directory.call({ path: '/ServiceProviderConfig' });
    assert.deepEqual(
      [at(config.json, 'patch', 'supported'), at(config.json, 'bulk', 'supported')],
      [true, false],
    );
    assert.deepEqual(valuesIn(await directory.call({ path: '/ResourceTypes' }), 'endpoint'), [
      '/Users',
      '/Groups',
    ]);
    assert.deepEqual(valuesIn(await directory.call({ path: '/Schemas' }), 'id'), [coreUser, coreGroup]);
    assert.equal((await directory.call({ path: `/Schemas/${coreUser}` })).json.name, 'User');
    assertScimError(await directory.call({ path: '/Schemas/none' }), 404);
  });
});
