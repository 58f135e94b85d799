import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { Decrypter, Encrypter, type Identity, type Recipient, Stanza } from 'age-encryption';
import { limits } from './limits.ts';
import { refusal } from './refusal.ts';

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);
const label = 'age-encryption.org/v1/scrypt';
const tagBytes = 16;

/** Encrypts with a passphrase, in the age format: `age --decrypt` reads it, too. */
export async function encrypt(content: string, passphrase: string): Promise<string> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipientOf(passphrase));
  return Buffer.from(await encrypter.encrypt(content)).toString('base64');
}

export async function decrypt(encrypted: string, passphrase: string): Promise<string> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(identityOf(passphrase));
  try {
    return await decrypter.decrypt(Buffer.from(encrypted, 'base64'), 'text');
  } catch (cause) {
    throw refusal('its provider keys can’t be decrypted: is the passphrase right?', cause);
  }
}

/** The package's own makes the key on this thread, which would stop all calls meanwhile. */
function recipientOf(passphrase: string): Recipient {
  return {
    async wrapFileKey(fileKey) {
      const salt = randomBytes(16);
      const key = await keyOf(passphrase, salt, limits.passphraseWork);
      const sealing = createCipheriv('chacha20-poly1305', key, Buffer.alloc(12), { authTagLength: tagBytes });
      const body = Buffer.concat([sealing.update(fileKey), sealing.final(), sealing.getAuthTag()]);
      const name = salt.toString('base64').replaceAll('=', '');
      return [new Stanza(['scrypt', name, String(limits.passphraseWork)], body)];
    },
  };
}

function identityOf(passphrase: string): Identity {
  return {
    async unwrapFileKey(stanzas) {
      const [stanza] = stanzas;
      const [type, salt = '', work = ''] = stanza?.args ?? [];
      if (stanza === undefined || stanzas.length !== 1 || type !== 'scrypt') return null;
      const bytes = Buffer.from(salt, 'base64');
      const isWithinBounds = /^[1-9][0-9]?$/.test(work) && Number(work) <= limits.passphraseWorkMax;
      if (!isWithinBounds || bytes.byteLength !== 16 || stanza.body.byteLength !== 32) return null;
      const key = await keyOf(passphrase, bytes, Number(work));
      const opening = createDecipheriv('chacha20-poly1305', key, Buffer.alloc(12), {
        authTagLength: tagBytes,
      });
      opening.setAuthTag(stanza.body.subarray(-tagBytes));
      return Buffer.concat([opening.update(stanza.body.subarray(0, -tagBytes)), opening.final()]);
    },
  };
}

function keyOf(passphrase: string, salt: Buffer, work: number): Promise<Buffer> {
  const N = 2 ** work;
  return derive(passphrase, Buffer.concat([Buffer.from(label), salt]), 32, {
    ...{ N, r: 8, p: 1 },
    maxmem: 2 * 128 * 8 * N,
  });
}
