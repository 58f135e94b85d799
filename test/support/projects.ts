import assert from 'node:assert/strict';
import type { MemberSession } from './organizations.ts';

/** Resolves to the id of a new project. */
export async function makeProject(session: MemberSession, name: string): Promise<string> {
  const { status, text, json } = await session.call({ path: '/v1/organization/projects', body: { name } });
  assert.equal(status, 201, text);
  return String(json.id);
}
