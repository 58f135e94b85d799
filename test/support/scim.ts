import assert from 'node:assert/strict';
import { at } from './at.ts';
import { call, type RawAnswer, type RawRequest } from './call.ts';
import { bearer } from './cloud.ts';
import type { MemberSession } from './organizations.ts';

export const coreUser = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const coreGroup = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** An identity provider with a token of an organization. */
export class ScimClient {
  readonly url: string;
  readonly organizationId: string;
  readonly token: string;
  readonly tokenId: string;

  static async open(owner: MemberSession, url = owner.person.url): Promise<ScimClient> {
    const made = await owner.call({ path: '/v1/organization/scim/tokens', body: { name: 'directory' } });
    assert.equal(made.status, 201, made.text);
    return new ScimClient(url, owner.organizationId, made);
  }

  private constructor(url: string, organizationId: string, { json }: RawAnswer) {
    this.url = url;
    this.organizationId = organizationId;
    this.token = String(json.token);
    this.tokenId = String(json.id);
  }

  call({ path, headers = [], ...sent }: RawRequest): Promise<RawAnswer> {
    return call(this.url, {
      ...sent,
      path: `/scim/v2/${this.organizationId}${path}`,
      headers: [...bearer(this.token), 'content-type', 'application/scim+json', ...headers],
    });
  }

  find(resources: 'Users' | 'Groups', filter: string, more = ''): Promise<RawAnswer> {
    return this.call({ path: `/${resources}?filter=${encodeURIComponent(filter)}${more}` });
  }

  patch(path: string, ...operations: readonly object[]): Promise<RawAnswer> {
    return this.call({ method: 'PATCH', path, body: { schemas: [patchSchema], Operations: operations } });
  }

  async user(fields: object): Promise<string> {
    return idIn(await this.call({ path: '/Users', body: { schemas: [coreUser], ...fields } }));
  }

  async group(displayName: string, members: readonly string[] = [], more: object = {}): Promise<string> {
    const body = { schemas: [coreGroup], displayName, members: members.map((value) => ({ value })), ...more };
    return idIn(await this.call({ path: '/Groups', body }));
  }
}

function idIn({ status, json, text }: RawAnswer): string {
  assert.equal(status, 201, text);
  return String(json.id);
}

export function resourcesIn({ status, json, text }: RawAnswer): readonly unknown[] {
  assert.equal(status, 200, text);
  const { Resources: listed } = json;
  assert.ok(Array.isArray(listed));
  return listed;
}

export function valuesIn(answer: RawAnswer, name: string): readonly unknown[] {
  return resourcesIn(answer).map((one) => at(one, name));
}

export function assertScimError(answer: RawAnswer, status: number, scimType?: string): void {
  const { json, text } = answer;
  assert.deepEqual([answer.status, json.status, json.scimType], [status, String(status), scimType], text);
  assert.deepEqual(json.schemas, ['urn:ietf:params:scim:api:messages:2.0:Error']);
  assert.equal(answer.headers['content-type'], 'application/scim+json');
}
