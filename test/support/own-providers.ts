import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Environment } from '../../src/gateway/settings.ts';
import { FakeUpstream, type SeenRequest } from '../../src/testing/fake-upstream.ts';
import { answering } from '../agents/scripted-turns.ts';
import { at } from './at.ts';
import { call, type RawAnswer } from './call.ts';
import { bearer, Person } from './cloud.ts';

export const messages = [{ role: 'user', content: 'Hi' }];

/** A server that says its name, and is no provider of the operator. */
export async function startServer(t: TestContext, said: string): Promise<FakeUpstream> {
  const server = await FakeUpstream.start((request) => answering(request, { text: said }));
  t.after(() => server.close());
  return server;
}

export function allowing(servers: readonly FakeUpstream[], more: Environment = {}) {
  return {
    WEIR_ACCOUNT_PROVIDERS: 'on',
    WEIR_EGRESS_ALLOW: servers.map(({ url }) => `account-providers=${url}`).join(','),
    ...more,
  };
}

/** Somebody with an API key, who defines providers. */
export class Definer {
  readonly person: Person;
  readonly key: string;

  private constructor(person: Person, key: string) {
    this.person = person;
    this.key = key;
  }

  static async at(url: string): Promise<Definer> {
    const person = await Person.signUp(url);
    return new Definer(person, (await person.makeKey()).key);
  }

  define(name: string, body: object) {
    return this.person.call({ method: 'PUT', path: `/v1/providers/${name}`, body });
  }

  async mustDefine(name: string, body: object): Promise<void> {
    const { status, text } = await this.define(name, body);
    assert.equal(status, 200, text);
  }

  async storeKey(name: string, key: string): Promise<void> {
    const stored = await this.person.call({ method: 'PUT', path: `/v1/byok/${name}`, body: { key } });
    assert.equal(stored.status, 200, stored.text);
  }

  ask(model: string, headers: readonly string[] = [], url = this.person.url) {
    return call(url, {
      path: '/v1/chat/completions',
      headers: [...bearer(this.key), ...headers],
      body: { model, messages },
    });
  }
}

export function said({ json }: { readonly json: Readonly<Record<string, unknown>> }): unknown {
  return at(json, 'choices', 0, 'message', 'content');
}

export function assertRefused({ status, json, text }: RawAnswer, expected: number, code: string): void {
  assert.deepEqual([status, at(json, 'error', 'code')], [expected, code], text);
}

export function lastOf({ requests }: FakeUpstream): SeenRequest {
  const last = requests.at(-1);
  assert.ok(last);
  return last;
}
