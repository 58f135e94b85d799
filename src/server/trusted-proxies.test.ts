import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientAddress, parseTrustedProxies } from './trusted-proxies.ts';

function client(setting: string, remote: string, forwardedFor?: string): string {
  const trusted = parseTrustedProxies(setting);
  assert.ok(trusted);
  return clientAddress(remote, forwardedFor, trusted);
}

test('no proxy is trusted by default', () => {
  assert.equal(client('off', '10.0.0.1', '1.2.3.4'), '10.0.0.1');
  assert.equal(client('0', '10.0.0.1', '1.2.3.4'), '10.0.0.1');
});

test('so many hops are believed, and what the client made up before them is not', () => {
  assert.equal(client('1', '10.0.0.1', '6.6.6.6, 1.2.3.4'), '1.2.3.4');
  assert.equal(client('2', '10.0.0.1', '6.6.6.6, 1.2.3.4, 10.0.0.2'), '1.2.3.4');
  assert.equal(client('2', '10.0.0.1', '1.2.3.4'), '1.2.3.4');
  assert.equal(client('1', '10.0.0.1'), '10.0.0.1');
});

test('proxies in the networks are trusted, and no others', () => {
  assert.equal(client('10.0.0.0/8', '10.0.0.1', '1.2.3.4, 10.9.9.9'), '1.2.3.4');
  assert.equal(client('10.0.0.0/8', '10.0.0.1', '6.6.6.6, 1.2.3.4'), '1.2.3.4');
  assert.equal(client('10.0.0.0/8', '9.9.9.9', '1.2.3.4'), '9.9.9.9');
  assert.equal(client('10.0.0.0/8, fd00::/8', 'fd00::1', '2001:db8::5'), '2001:db8::5');
  assert.equal(client('10.0.0.1', '::ffff:10.0.0.1', '1.2.3.4'), '1.2.3.4');
});

test('an address that is none is not taken for one, and ports are no part of it', () => {
  assert.equal(client('1', '10.0.0.1', 'unknown'), '10.0.0.1');
  assert.equal(client('1', '10.0.0.1', '1.2.3.4:5678'), '1.2.3.4');
  assert.equal(client('1', '10.0.0.1', '[2001:db8::5]:5678'), '2001:db8::5');
});

test('a setting that can not be read is no setting', () => {
  for (const text of ['yes', '10.0.0.0/33', '10.0.0.0/8/8', '-1', '21', '10.0.0.0/8,', '1.5'])
    assert.equal(parseTrustedProxies(text), undefined, text);
});
