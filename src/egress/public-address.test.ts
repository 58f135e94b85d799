import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPublicAddress } from './public-address.ts';

const publicAddresses = [
  '1.1.1.1',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '168.63.129.17',
  '2606:4700:4700::1111',
  '2a00:1450:4001:82b::200e',
  '::ffff:1.1.1.1',
  '64:ff9b::1.1.1.1',
];

const otherAddresses = [
  '0.0.0.0',
  '10.1.2.3',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:0:0',
  '0:0:0:0:0:ffff:a9fe:a9fe',
  '64:ff9b::7f00:1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::1.1.1.1',
  '2002:7f00:1::',
  '2002:101:101::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:db8::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '100::1',
  'localhost',
  '',
];

test('addresses on the public internet', () => {
  for (const address of publicAddresses) assert.equal(isPublicAddress(address), true, address);
});

test('private, loopback, link-local and metadata addresses in every notation are not public', () => {
  for (const address of otherAddresses) assert.equal(isPublicAddress(address), false, address);
});
