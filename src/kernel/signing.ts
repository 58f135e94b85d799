import type { Provider } from './provider.ts';
import type { Secret } from './secret.ts';
import type { ProviderFormat } from './wire-format.ts';

/** A call as it is written in its format: where it goes, and how it shows who pays, is still to be said. */
export interface OutboundRequest {
  readonly provider: Provider;
  readonly method: 'GET' | 'POST';
  /** Undefined for the call that only tries a key. */
  readonly modelCall?: { readonly wire: ProviderFormat; readonly model: string; readonly streamed: boolean };
  /** Below the provider's base address, with its query. */
  readonly path: string;
  readonly headers: string[];
  readonly body: Uint8Array;
}

/** The same, ready to be sent. */
export interface SignedRequest {
  /** One of those that the provider's calls may go to. */
  readonly baseUrl: string;
  /** Below that, with its query. */
  readonly path: string;
  readonly headers: string[];
  readonly body: Uint8Array;
  /** What it carries that nobody may read in what comes back. */
  readonly secrets: readonly string[];
  /** To be called where the provider doesn't know who pays: a 401. */
  onUnauthorized?(): void;
}

/** What a provider may need to let a call leave. */
export interface SigningContext {
  /** Milliseconds since 1970. */
  now(): number;
  /** A token that somebody else gives for an account, kept while it lasts. */
  accessToken(account: ServiceAccount): Promise<string>;
  /** Keeps it no longer. */
  forgetToken(account: ServiceAccount, token: string): void;
}

/** Who asks for a token, and with what. */
export interface ServiceAccount {
  readonly email: string;
  readonly keyId?: string | undefined;
  /** PKCS #8, in PEM. */
  readonly privateKey: string;
}

/** A key that is more than one word: one text, with a form. */
export interface KeyForm {
  /** Refuses what has another form, without a word of it; otherwise as it is to be kept. */
  check(text: string, provider: Provider): CheckedKey;
  /** The ways to write one, for who asks people for it. */
  layouts(provider: Provider): readonly KeyLayout[];
}

/** One way to write a key: an object with these fields, as JSON. */
export interface KeyLayout {
  readonly title: string;
  readonly fields: readonly KeyField[];
}

export interface KeyField {
  /** In the object. */
  readonly name: string;
  readonly title: string;
  /** `object`: a JSON text whose fields are fields of the key. */
  readonly kind: 'text' | 'secret' | 'object';
  readonly required: boolean;
  /** Such as one looks like, or what holds where it is left out. */
  readonly example?: string;
}

export interface CheckedKey {
  readonly text: string;
  /** The part of it whose end may be shown. */
  readonly displayedPart: string;
}

export type Sign = (
  outboundRequest: OutboundRequest,
  credential: Secret,
  signingContext: SigningContext,
) => SignedRequest | Promise<SignedRequest>;
