import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

/** What an authenticator in a browser can be made to do wrong. */
export interface AuthenticatorFaults {
  readonly origin?: string;
  readonly challenge?: string;
  /** Whether the device verifies its user, by a PIN or a finger. */
  readonly verifiesUser?: boolean;
  /** In place of its own, for the next signature. */
  readonly counter?: number;
}

const [userPresent, userVerified, credentialIncluded] = [1, 4, 64];

/** A passkey with its private key, and the browser around it: makes what `PublicKeyCredential.toJSON` makes. */
export class Authenticator {
  readonly id = randomBytes(16).toString('base64url');
  readonly #origin: string;
  readonly #keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  #counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
    this.#keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  }

  /** Answers the options of a registration. */
  create({ challenge }: { readonly challenge: string }, faults: AuthenticatorFaults = {}) {
    const id = Buffer.from(this.id, 'base64url');
    const credential = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, id.length]),
      id,
      coseKey(this.#keys.publicKey),
    ]);
    const data = this.#data(credentialIncluded, faults, credential);
    // A CBOR map of three entries: fmt, attStmt, authData.
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      ...[cborText('fmt'), cborText('none'), cborText('attStmt'), Buffer.from([0xa0])],
      ...[cborText('authData'), cborBytes(data)],
    ]);
    return this.#credential({
      clientDataJSON: this.#clientData('webauthn.create', challenge, faults).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** Answers the options of a login. */
  sign({ challenge }: { readonly challenge: string }, faults: AuthenticatorFaults = {}) {
    this.#counter += 1;
    const data = this.#data(0, faults);
    const client = this.#clientData('webauthn.get', challenge, faults);
    const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
    return this.#credential({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: createSign('sha256').update(signed).sign(this.#keys.privateKey).toString('base64url'),
    });
  }

  #credential<Response>(response: Response) {
    const type = 'public-key';
    return { id: this.id, rawId: this.id, type, response, clientExtensionResults: {} };
  }

  #clientData(type: string, challenge: string, { origin, challenge: other }: AuthenticatorFaults): Buffer {
    return Buffer.from(
      JSON.stringify({
        type,
        challenge: other ?? challenge,
        origin: origin ?? this.#origin,
        crossOrigin: false,
      }),
    );
  }

  #data(
    flags: number,
    { verifiesUser = true, counter }: AuthenticatorFaults,
    more = Buffer.alloc(0),
  ): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter ?? this.#counter);
    return Buffer.concat([
      createHash('sha256').update(new URL(this.#origin).hostname).digest(),
      Buffer.from([flags | userPresent | (verifiesUser ? userVerified : 0)]),
      ...[count, more],
    ]);
  }
}

/** ES256: a CBOR map of kty 2, alg -7, crv 1, x and y. */
function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return Buffer.concat([
    Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21]),
    cborBytes(Buffer.from(x, 'base64url')),
    Buffer.from([0x22]),
    cborBytes(Buffer.from(y, 'base64url')),
  ]);
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}

function cborBytes(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x58, bytes.length]), bytes]);
}
