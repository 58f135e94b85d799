/** Signatures with keys that nobody but the issuer has: never those with a shared secret, and never none. */
export const signatureAlgorithms = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const),
] as const;

type SignatureAlgorithm = (typeof signatureAlgorithms)[number];

/** What a claim of a token must be, or contain. */
export interface RequiredClaim {
  readonly claim: string;
  readonly values: readonly string[];
}

/** The API key that tokens with a value of the project claim stand for. */
interface ProjectKey {
  readonly value: string;
  readonly keyId: string;
}

/** How tokens of an issuer are read. */
export interface TokenRules {
  /** Where its public keys are; null if its discovery document says so. */
  readonly jwksUri: string | null;
  readonly algorithms: readonly SignatureAlgorithm[];
  /** The claim with the end user of a call. */
  readonly subjectClaim: string;
  readonly requiredClaims: readonly RequiredClaim[];
  /** The API key that tokens stand for unless the project claim says otherwise; null if they need it. */
  readonly keyId: string | null;
  readonly projectClaim: string | null;
  readonly projectKeys: readonly ProjectKey[];
}

/** An issuer whose tokens an organization accepts as credentials of calls. */
export interface TokenIssuer {
  readonly id: string;
  readonly accountId: string;
  readonly issuer: string;
  readonly audience: string;
  readonly rules: TokenRules;
  readonly createdAtMs: number;
  /** Greater with each change. */
  readonly updatedAtMs: number;
}

export interface TokenIssuers {
  /** `taken` if there is one with this issuer and audience. */
  add(issuer: TokenIssuer, most: number): Promise<'added' | 'taken' | 'limit_reached'>;
  /** The oldest first. */
  list(accountId: string): Promise<readonly TokenIssuer[]>;
  find(id: string): Promise<TokenIssuer | undefined>;
  change(issuer: TokenIssuer): Promise<'changed' | 'unknown' | 'taken'>;
  remove(accountId: string, id: string): Promise<boolean>;
  /** Those with this issuer and one of the audiences. */
  named(issuer: string, audiences: readonly string[]): Promise<readonly TokenIssuer[]>;
}
