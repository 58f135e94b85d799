import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Networks } from './networks.ts';

function has(networks: string, address: string): boolean {
  const parsed = Networks.parse(networks.split(' '));
  assert.ok(parsed, networks);
  return parsed.has(address);
}

test('an address is in a network of its family', () => {
  for (const [networks, inside, outside] of [
    ['10.0.0.0/8', '10.255.0.1', '11.0.0.1'],
    ['10.1.2.3', '10.1.2.3', '10.1.2.4'],
    ['0.0.0.0/0', '255.1.2.3', '::1'],
    ['2001:db8::/32', '2001:db8:ffff::1', '2001:db9::1'],
    ['::/0', '2001:db8::1', '10.0.0.1'],
    ['10.0.0.0/8 fd00::/8', 'fd12::1', 'fe80::1'],
  ] as const) {
    assert.ok(has(networks, inside), `${inside} in ${networks}`);
    assert.ok(!has(networks, outside), `${outside} not in ${networks}`);
  }
});

test('an IPv4-mapped address is the IPv4 address, in every notation', () => {
  for (const address of ['::ffff:10.0.0.1', '::FFFF:10.0.0.1', '::ffff:a00:1', '0:0:0:0:0:ffff:10.0.0.1'])
    assert.ok(has('10.0.0.0/8', address), address);
  assert.ok(!has('::/0', '::ffff:10.0.0.1'), 'all of IPv6 is none of IPv4');
  assert.ok(has('::ffff:10.0.0.0/104', '10.9.9.9'));
  assert.ok(has('::ffff:10.0.0.1', '10.0.0.1'));
  assert.ok(!has('::ffff:10.0.0.0/104', '11.0.0.1'));
});

test('a zone is no part of an address, and what is no address is nowhere', () => {
  assert.ok(has('fe80::/10', 'fe80::1%eth0'));
  for (const text of ['', 'unknown', '10.0.0', '10.0.0.1:80', '[::1]', '010.0.0.1'])
    assert.ok(!has('0.0.0.0/0 ::/0', text), text);
});

test('what is no network is rejected', () => {
  for (const text of ['', 'localhost', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/8/8', '::/129'])
    assert.equal(Networks.parse(['10.0.0.1', text]), undefined, text);
  for (const text of ['::ffff:0:0/95', 'fe80::1%eth0', '10.0.0.0/08x', ' 10.0.0.0/8'])
    assert.equal(Networks.parse([text]), undefined, text);
});
