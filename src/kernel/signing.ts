import type { Secret } from '../lib/secret.ts';
import type { Provider } from './provider.ts';
import type { ProviderFormat } from './wire-format.ts';

/** An outbound request in its format, not yet addressed and signed. */
export interface OutboundRequest {
  readonly provider: Provider;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Undefined for a call that only tests a key. */
  readonly modelCall?: { readonly wire: ProviderFormat; readonly model: string; readonly streamed: boolean };
  /** Below the provider's base URL, with its query. */
  readonly path: string;
  readonly headers: string[];
  /** Empty for a streamed body: providers that sign the body have no endpoints for those. */
  readonly body: Uint8Array;
}

/** A request that is ready to be sent. */
export interface SignedRequest {
  /** One of the provider's allowed addresses. */
  readonly baseUrl: string;
  /** Below that, with its query. */
  readonly path: string;
  readonly headers: string[];
  readonly body: Uint8Array;
  /** Credentials that must be redacted from the response. */
  readonly secrets: readonly string[];
  /** Called if the provider rejects the credential with a 401. */
  onUnauthorized?(): void;
}

/** What a provider may need to sign a request. */
export interface SigningContext {
  /** Milliseconds since 1970. */
  now(): number;
  /** An access token for an account, cached until it expires; `onRequest` is called if one is requested from this host. */
  accessToken(account: ServiceAccount, onRequest?: (host: string) => void): Promise<string>;
  /** Removes it from the cache. */
  forgetToken(account: ServiceAccount, token: string): void;
}

/** The account that requests a token, and its key. */
export interface ServiceAccount {
  readonly email: string;
  readonly keyId?: string | undefined;
  /** PKCS #8, in PEM. */
  readonly privateKey: string;
}

/** The form of a structured key, which is one text. */
export interface KeyForm {
  /** Rejects another form without quoting it; otherwise returns the text to store. */
  check(text: string, provider: Provider): CheckedKey;
  /** The variants of the form, for key dialogs. */
  layouts(provider: Provider): readonly KeyLayout[];
}

/** One variant of a key: a JSON object with these fields. */
export interface KeyLayout {
  readonly title: string;
  readonly fields: readonly KeyField[];
}

export interface KeyField {
  /** The field name in the object. */
  readonly name: string;
  readonly title: string;
  /** `object`: a JSON text whose fields are fields of the key. */
  readonly kind: 'text' | 'secret' | 'object';
  readonly required: boolean;
  /** An example, or the default if omitted. */
  readonly example?: string;
}

export interface CheckedKey {
  readonly text: string;
  /** The part whose last characters may be shown. */
  readonly displayedPart: string;
}

export type Sign = (
  outboundRequest: OutboundRequest,
  credential: Secret,
  signingContext: SigningContext,
) => SignedRequest | Promise<SignedRequest>;
