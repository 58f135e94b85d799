import { GatewayError } from '../../kernel/errors.ts';
import type { ScimRefusal } from '../../kernel/ports/scim.ts';
import { limits } from '../limits.ts';

/** The kinds of bad requests of RFC 7644, 3.12. */
type ScimType = 'invalidFilter' | 'invalidSyntax' | 'invalidPath' | 'invalidValue' | 'noTarget' | 'tooMany';

/** A request that can't be served as it is; `scimType` is the detail of the error. */
export function badRequest(scimType: ScimType, message: string): GatewayError {
  return new GatewayError('invalid_request', message, { detail: scimType });
}

export function refusalError(refusal: ScimRefusal, what: 'user' | 'group'): GatewayError {
  switch (refusal) {
    case 'unknown':
      return new GatewayError('not_found', `the organization has no such ${what}`);
    case 'limit_reached':
      return new GatewayError(
        'scim_refused',
        `the organization has ${what === 'user' ? limits.membersMax : limits.scimGroupsMax} ${what}s, which is the most`,
      );
    case 'name_taken':
      return uniquenessError(
        what === 'user' ? 'another user has this userName' : 'another group has this displayName',
      );
    case 'email_taken':
      return uniquenessError('another user has this mail address');
    case 'owner_needed':
      return new GatewayError(
        'scim_refused',
        'this is the last owner of the organization, or its owner for emergencies, who stays a member and keeps their sessions: make somebody else owner first',
      );
    case 'changed':
      return new GatewayError('scim_version', `the ${what} has another version by now; read it again`);
    case 'unknown_member':
      return badRequest('invalidValue', 'members: one of the values is no id of a user of the organization');
  }
}

function uniquenessError(message: string): GatewayError {
  return new GatewayError('scim_refused', message, { detail: 'uniqueness' });
}
