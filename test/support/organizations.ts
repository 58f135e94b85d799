import assert from 'node:assert/strict';
import type { Role } from '../../src/kernel/ports/identities.ts';
import { at } from './at.ts';
import { call, type RawAnswer, type RawRequest } from './call.ts';
import { bearer, Person } from './cloud.ts';

/** A session of a person in an organization. */
export interface MemberSession {
  readonly person: Person;
  readonly organizationId: string;
  readonly token: string;
  call(sent: RawRequest): Promise<RawAnswer>;
}

/** An organization, and a session of its owner in it. */
export async function createOrganization(owner: Person, name = 'Acme'): Promise<MemberSession> {
  const made = await owner.call({ path: '/v1/organizations', body: { name } });
  assert.equal(made.status, 201, made.text);
  return sessionIn(owner, String(made.json.id));
}

export async function sessionIn(person: Person, organizationId: string): Promise<MemberSession> {
  const path = `/v1/organizations/${organizationId}/session`;
  const { status, text, json } = await person.call({ path, body: {} });
  assert.equal(status, 201, text);
  const token = String(json.token);
  return {
    ...{ person, organizationId, token },
    call: (sent) => call(person.url, { ...sent, headers: [...bearer(token), ...(sent.headers ?? [])] }),
  };
}

/** Invites a person, who accepts and starts a session. */
export async function addMember(inviter: MemberSession, role: Role, person?: Person): Promise<MemberSession> {
  const joining = person ?? (await Person.signUp(inviter.person.url));
  const token = await invite(inviter, { role });
  const accepted = await joining.call({ path: '/v1/invitations/accept', body: { token } });
  assert.equal(accepted.status, 200, accepted.text);
  return sessionIn(joining, String(accepted.json.organization_id));
}

/** Resolves to the token of the link. */
export async function invite(inviter: MemberSession, body: object): Promise<string> {
  const { status, text, json } = await inviter.call({ path: '/v1/organization/invitations', body });
  assert.equal(status, 201, text);
  return tokenOfLink(String(json.link));
}

export function tokenOfLink(link: string): string {
  return String(new URLSearchParams(new URL(link).hash.slice(1)).get('invitation'));
}

/** The members by address. */
export async function membersOf(
  session: MemberSession,
): Promise<ReadonlyMap<string, { id: string; role: string }>> {
  const { json } = await session.call({ path: '/v1/organization/members' });
  const listed = at(json, 'members');
  assert.ok(Array.isArray(listed));
  return new Map(
    listed.map((one) => [
      String(at(one, 'email')),
      { id: String(at(one, 'id')), role: String(at(one, 'role')) },
    ]),
  );
}
