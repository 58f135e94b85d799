import type { Provider } from './provider.ts';
import type { Secret } from './secret.ts';
import type { ProviderFormat } from './wire-format.ts';

/** A call as it is written in its format: where it goes, and how it shows who pays, is still to be said. */
export interface Draft {
  readonly provider: Provider;
  readonly method: 'GET' | 'POST';
  /** Undefined for the call that only tries a key. */
  readonly asks?: { readonly wire: ProviderFormat; readonly model: string; readonly streamed: boolean };
  /** Below the provider's base address, with its query. */
  readonly path: string;
  readonly headers: string[];
  readonly body: Uint8Array;
}

/** The same, ready to be sent. */
export interface Departure {
  /** One of those that the provider's calls may go to. */
  readonly baseUrl: string;
  /** Below that, with its query. */
  readonly path: string;
  readonly headers: string[];
  readonly body: Uint8Array;
  /** What it carries that nobody may read in what comes back. */
  readonly secrets: readonly string[];
  /** To be called where the provider doesn't know who pays: a 401. */
  refused?(): void;
}

/** What a provider may need to let a call leave. */
export interface Means {
  /** Milliseconds since 1970. */
  now(): number;
  /** A token that somebody else gives for an account, kept while it lasts. */
  accessToken(account: TokenAccount): Promise<string>;
  /** Keeps it no longer. */
  forget(account: TokenAccount, token: string): void;
}

/** Who asks for a token, and with what. */
export interface TokenAccount {
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
  ways(provider: Provider): readonly KeyWay[];
}

/** One way to write a key: an object with these fields, as JSON. */
export interface KeyWay {
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
  readonly shown: string;
}

export type Depart = (draft: Draft, credential: Secret, means: Means) => Departure | Promise<Departure>;
