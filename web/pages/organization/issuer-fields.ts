import type { paths } from '../../api/schema.ts';

type TokenIssuer =
  paths['/v1/organization/token-issuers']['get']['responses']['200']['content']['application/json']['token_issuers'][number];

/** The settings of an issuer as they are typed. */
export interface IssuerFields {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUri: string;
  readonly algorithms: readonly string[];
  readonly subjectClaim: string;
  readonly requiredClaims: string;
  readonly keyId: string;
  readonly projectClaim: string;
  readonly projectKeys: readonly ProjectKey[];
}

export interface ProjectKey {
  readonly value: string;
  readonly keyId: string;
}

export const signatureAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
] as const;

/** Those of an issuer; for a new one, what most need. */
export function fieldsOf(stored: TokenIssuer | undefined, suggestedAudience: string): IssuerFields {
  return {
    issuer: stored?.issuer ?? '',
    audience: stored?.audience ?? suggestedAudience,
    jwksUri: stored?.jwks_uri ?? '',
    algorithms: stored?.algorithms ?? ['RS256', 'ES256'],
    subjectClaim: stored?.subject_claim ?? 'sub',
    requiredClaims: requiredClaimsText(stored?.required_claims ?? []),
    keyId: stored?.key_id ?? '',
    projectClaim: stored?.project_claim ?? '',
    projectKeys: (stored?.project_keys ?? []).map(({ value, key_id: keyId }) => ({ value, keyId })),
  };
}

export function bodyOf(fields: IssuerFields) {
  const projectClaim = fields.projectClaim.trim();
  return {
    issuer: fields.issuer.trim(),
    audience: fields.audience.trim(),
    jwks_uri: fields.jwksUri.trim() === '' ? null : fields.jwksUri.trim(),
    algorithms: fields.algorithms as TokenIssuer['algorithms'],
    subject_claim: fields.subjectClaim.trim(),
    required_claims: requiredClaimsIn(fields.requiredClaims),
    key_id: fields.keyId === '' ? null : fields.keyId,
    project_claim: projectClaim === '' ? null : projectClaim,
    project_keys:
      projectClaim === ''
        ? []
        : fields.projectKeys.map(({ value, keyId }) => ({ value: value.trim(), key_id: keyId })),
  };
}

type RequiredClaims = TokenIssuer['required_claims'];

/** One claim in each line: `groups = ai, search`. */
export function requiredClaimsText(claims: RequiredClaims): string {
  return claims.map(({ claim, values }) => `${claim} = ${values.join(', ')}`).join('\n');
}

/** The gateway rejects claims without values. Names of claims may be addresses, but have no equals sign. */
export function requiredClaimsIn(text: string): RequiredClaims {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [claim = '', ...rest] = line.split('=');
      const values = rest.join('=').split(',');
      return {
        claim: claim.trim(),
        values: values.map((value) => value.trim()).filter((value) => value !== ''),
      };
    });
}
