import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBearerChallenge } from './bearer-challenge.ts';
import { covers, readableScopes } from './server-discovery.ts';

test('a resource covers its own address and paths below it', () => {
  const server = 'https://mcp.example/team/mcp';
  for (const resource of [
    server,
    'https://mcp.example',
    'https://mcp.example/',
    'https://mcp.example/team',
    'https://MCP.example:443/team/',
  ])
    assert.ok(covers(resource, server), resource);
  for (const resource of [
    ...[
      'https://mcp.example/te',
      'https://mcp.example/team/mcp/more',
      'http://mcp.example/team/mcp',
      'https://example',
    ],
    ...[
      'https://mcp.example.evil/team/mcp',
      'https://mcp.example@evil/team',
      'https://mcp.example/#x',
      'https://mcp.example/?x',
      '',
    ],
  ])
    assert.ok(!covers(resource, server), resource);
});

test('the challenge of the scheme Bearer is read among others', () => {
  const challenge = readBearerChallenge(
    'Basic realm="a, b", Bearer error="insufficient_scope", scope="read write", resource_metadata="https://mcp.example/m", DPoP algs="ES256"',
  );
  assert.deepEqual(challenge, {
    error: 'insufficient_scope',
    scope: 'read write',
    resourceMetadata: 'https://mcp.example/m',
  });
  assert.deepEqual(readBearerChallenge('Bearer')?.scope, undefined);
  for (const header of [undefined, null, '', 'Basic realm="x"'])
    assert.equal(readBearerChallenge(header), undefined);
  assert.equal(readBearerChallenge(`Bearer ${'x="", '.repeat(5000)}`)?.scope, undefined);
});

test('scopes are few, short and printable', () => {
  assert.deepEqual(readableScopes(['read', 'read', 'a b', '', 'x"y', 'ä', 'x'.repeat(201)]), ['read']);
  assert.equal(readableScopes(Array.from({ length: 500 }, (_, at) => `scope${at}`)).length, 50);
});
