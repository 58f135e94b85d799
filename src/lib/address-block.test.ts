import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressBlock } from './address-block.ts';

test('an IPv4 address stands for itself, also in the clothes of IPv6', () => {
  for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201', '0:0:0:0:0:FFFF:192.0.2.1'])
    assert.equal(addressBlock(address), '192.0.2.1', address);
});

test('IPv6 addresses of one /64 are one client, and those of another are another', () => {
  const block = addressBlock('2001:db8:1:2::1');
  for (const address of ['2001:db8:1:2:3:4:5:6', '2001:0DB8:0001:0002::', '2001:db8:1:2:ffff::%eth0'])
    assert.equal(addressBlock(address), block, address);
  for (const address of ['2001:db8:1:3::1', '2001:db8::1:2:0:1', '::1', '::', '192.0.2.1'])
    assert.notEqual(addressBlock(address), block, address);
  assert.notEqual(addressBlock('::1'), addressBlock('::ffff:0.0.0.1'));
});

test('what is no address is left as it is', () => {
  for (const text of ['', 'unknown', '1.2.3.4.5']) assert.equal(addressBlock(text), text);
});
