import type { Role } from '../../kernel/ports/identities.ts';
import { highestRole } from '../../kernel/ports/identities.ts';
import type { SignOn } from '../../kernel/ports/sign-on.ts';
import { isEmail } from '../email.ts';
import { limits } from '../limits.ts';
import { domainOf } from './email-domain.ts';
import { SignOnFailure } from './sign-on-error.ts';

type ClaimValues = Readonly<Record<string, unknown>>;

/** The verified address of a person in one of these domains. */
export function emailOf(claims: ClaimValues, domains: ReadonlySet<string>): string {
  const { email } = claims;
  if (typeof email !== 'string' || !isEmail(email)) throw new SignOnFailure('email_missing');
  if (!isVerified(claims)) throw new SignOnFailure('email_unverified');
  const domain = domainOf(email);
  if (domain === undefined || !domains.has(domain)) throw new SignOnFailure('email_domain');
  return email.normalize('NFC');
}

/** Entra ID has a claim of its own; some providers send booleans as texts. */
function isVerified({ email_verified: standard, xms_edov: entra }: ClaimValues): boolean {
  const isTrue = (value: unknown) =>
    value === true || value === 1 || (typeof value === 'string' && /^(true|1)$/i.test(value));
  return standard === undefined ? isTrue(entra) : isTrue(standard);
}

/** The role by the groups of a person: of several, the one with most rights. Undefined if there is none. */
export function roleOfGroups(signOn: SignOn, claims: ClaimValues): Role | undefined {
  const { groupsClaim, groupRoles, defaultRole } = signOn;
  if (groupsClaim === undefined) return defaultRole;
  const groups = new Set(groupsOf(claims, groupsClaim));
  return (
    highestRole(groupRoles.filter(({ group }) => groups.has(group)).map(({ role }) => role)) ?? defaultRole
  );
}

function groupsOf(claims: ClaimValues, name: string): readonly string[] {
  const value = claims[name];
  // Entra ID leaves a long list out, and says where it can be read.
  const { _claim_names: elsewhere } = claims;
  if (value === undefined && typeof elsewhere === 'object' && elsewhere !== null && name in elsewhere)
    throw new SignOnFailure('groups_missing');
  const list = Array.isArray(value) ? value : [value];
  if (list.length > limits.groupsMax) throw new SignOnFailure('groups_missing');
  return list.filter((group) => typeof group === 'string');
}
