import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Decrypter, Encrypter } from 'age-encryption';
import { decrypt, encrypt } from './passphrase.ts';

const passphrase = 'a passphrase of some length';

test('what is encrypted here is an age file, and what age encrypts can be decrypted here', async () => {
  const ours = await encrypt('a secret', passphrase);
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  assert.equal(await decrypter.decrypt(Buffer.from(ours, 'base64'), 'text'), 'a secret');
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  encrypter.setScryptWorkFactor(12);
  const theirs = Buffer.from(await encrypter.encrypt('another')).toString('base64');
  assert.equal(await decrypt(theirs, passphrase), 'another');
});

test('another passphrase, a changed file and a file that would take much memory are refused with one line', async () => {
  const encrypted = await encrypt('a secret', passphrase);
  const changed = Buffer.from(encrypted, 'base64');
  changed[changed.byteLength - 1] = (changed[changed.byteLength - 1] ?? 0) ^ 1;
  const costly = Buffer.from(encrypted, 'base64').toString('latin1').replace(/ 15\n/, ' 20\n');
  const refused = { code: 'import_refused', message: /can’t be decrypted: is the passphrase right\?$/ };
  await assert.rejects(decrypt(encrypted, 'another passphrase'), refused);
  await assert.rejects(decrypt(changed.toString('base64'), passphrase), refused);
  await assert.rejects(decrypt(Buffer.from(costly, 'latin1').toString('base64'), passphrase), refused);
});
