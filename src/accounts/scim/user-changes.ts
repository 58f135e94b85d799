import type { ScimName, ScimUserFields } from '../../kernel/ports/scim.ts';
import { isJsonObject } from '../../lib/json.ts';
import { isEmail } from '../email.ts';
import { type ComplexValue, matchesFilter, valuesOfFilter } from './filter-match.ts';
import { type AttributeChange, booleanOf, textOf } from './operations.ts';
import { badRequest } from './scim-error.ts';

/** A user while attributes change. */
interface Draft extends Omit<ScimUserFields, 'email' | 'userName'> {
  readonly userName: string | null;
  readonly emails: readonly ComplexValue[];
}

/** A user without any attribute: active unless something else is said. */
export const emptyUser: ScimUserFields = {
  ...{ userName: '', externalId: null, email: '', isActive: true, displayName: null },
  name: {},
};

/** The user after these changes. Of attributes that are not stored, nothing is said: providers send what they have. */
export function changeUser(before: ScimUserFields, changes: readonly AttributeChange[]): ScimUserFields {
  const { email, ...rest } = before;
  // An address that is the name follows the name.
  const isNamed = email.toLowerCase() === before.userName.toLowerCase();
  const emails = isNamed ? [] : [{ value: email, type: 'work', primary: true }];
  const { userName, emails: listed, ...after } = changes.reduce(changeDraft, { ...rest, emails });
  if (userName === null || userName === '') throw badRequest('invalidValue', 'userName: is needed');
  return { ...after, userName, email: emailOf(userName, listed) };
}

function changeDraft(draft: Draft, change: AttributeChange): Draft {
  switch (change.attribute) {
    case 'username':
      return { ...draft, userName: textOf(change, 'userName') };
    case 'externalid':
      return { ...draft, externalId: textOf(change, 'externalId') };
    case 'displayname':
      return { ...draft, displayName: textOf(change, 'displayName') };
    case 'active':
      if (change.op === 'remove') throw badRequest('invalidValue', 'active: can’t be removed');
      return { ...draft, isActive: booleanOf(change.value, 'active') };
    case 'name':
      return { ...draft, name: changeName(draft.name, change) };
    case 'emails':
      return { ...draft, emails: changeEmails(draft.emails, change) };
    default:
      return draft;
  }
}

const nameParts = ['formatted', 'givenName', 'familyName'] as const;

function changeName(before: ScimName, change: AttributeChange): ScimName {
  const { op, sub, value } = change;
  if (sub !== undefined) {
    const part = nameParts.find((name) => name.toLowerCase() === sub.toLowerCase());
    return part === undefined ? before : { ...before, [part]: textOf(change, `name.${part}`) ?? undefined };
  }
  if (op === 'remove' || value === null) return {};
  if (!isJsonObject(value)) throw badRequest('invalidValue', 'name: must be an object');
  return Object.entries(value).reduce(
    (name, [part, one]) => changeName(name, { ...change, sub: part, value: one }),
    before,
  );
}

function changeEmails(
  before: readonly ComplexValue[],
  { op, filter, sub, value }: AttributeChange,
): readonly ComplexValue[] {
  const isMeant = (email: ComplexValue) => filter === undefined || matchesFilter(email, filter);
  if (op === 'remove' || value === null) return before.filter((email) => !isMeant(email));
  if (filter === undefined && sub === undefined) {
    const given = (Array.isArray(value) ? value : [value]).map(complexEmail);
    // A new primary address takes the place of the one before.
    const isReplaced = op === 'replace' || given.some(isPrimary);
    return isReplaced ? given : [...before, ...given];
  }
  const changed = sub === undefined ? complexEmail(value) : { [sub]: value };
  if (before.some(isMeant)) return before.map((email) => (isMeant(email) ? { ...email, ...changed } : email));
  const made = filter === undefined ? { primary: true } : valuesOfFilter(filter);
  if (made === undefined) throw badRequest('noTarget', 'path: there is no such mail address');
  return [...before, { ...made, ...changed }];
}

function complexEmail(value: unknown): ComplexValue {
  if (typeof value === 'string') return { value };
  if (isJsonObject(value)) return value;
  throw badRequest('invalidValue', 'emails: each must be an object with a value');
}

/** The primary address, the one at work, any, or the name. */
function emailOf(userName: string, emails: readonly ComplexValue[]): string {
  const isWork = ({ type }: ComplexValue) => String(type).toLowerCase() === 'work';
  const chosen = emails.find(isPrimary) ?? emails.find(isWork) ?? emails[0];
  const email = String(chosen?.value ?? userName)
    .trim()
    .normalize('NFC');
  if (isEmail(email)) return email;
  throw badRequest('invalidValue', 'emails: the user needs a mail address, in emails or as userName');
}

function isPrimary({ primary }: ComplexValue): boolean {
  return String(primary).toLowerCase() === 'true';
}
