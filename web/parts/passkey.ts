/** Asks the browser to make a passkey; the gateway’s options and the result are as JSON. */
export async function createPasskey(options: object): Promise<NewCredential> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as PublicKeyCredentialCreationOptionsJSON,
  );
  return jsonOf<NewCredential>(await askBrowser(() => navigator.credentials.create({ publicKey })));
}

/** Asks the browser to sign a login with a passkey. */
export async function signWithPasskey(options: object): Promise<UsedCredential> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON,
  );
  return jsonOf<UsedCredential>(await askBrowser(() => navigator.credentials.get({ publicKey })));
}

interface NewCredential {
  readonly id: string;
  readonly rawId: string;
  readonly type: 'public-key';
  readonly response: {
    readonly clientDataJSON: string;
    readonly attestationObject: string;
    readonly transports?: string[];
  };
}

interface UsedCredential {
  readonly id: string;
  readonly rawId: string;
  readonly type: 'public-key';
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
  };
}

/** The messages of browsers are for developers. */
async function askBrowser(ask: () => Promise<Credential | null>): Promise<Credential | null> {
  try {
    return await ask();
  } catch (error) {
    const name = error instanceof DOMException ? error.name : '';
    throw new Error(failures[name] ?? failures.NotAllowedError);
  }
}

const failures: Readonly<Record<string, string>> = {
  NotAllowedError: 'the browser gave no passkey: it was cancelled, or took too long',
  InvalidStateError: 'this device has a passkey for this account already',
  SecurityError: 'the browser has no passkeys for this address',
};

function jsonOf<Json>(credential: Credential | null): Json {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('the browser gave no passkey');
  return credential.toJSON() as Json;
}
