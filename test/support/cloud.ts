import type { TestContext } from 'node:test';
import type { Environment } from '../../src/gateway/settings.ts';
import { startTestGateway, type TestGateway } from '../../src/testing/test-gateway.ts';
import { at } from './at.ts';
import { call, type RawAnswer, type RawRequest } from './call.ts';
import { cleanUp } from './clean-up.ts';

/** A gateway with accounts, on a database of its own. Ends with its test, if not before. */
export async function startCloud(t: TestContext, more: Environment = {}): Promise<TestGateway> {
  const gateway = await startTestGateway({ WEIR_MODE: 'cloud', ...more });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= gateway.close();
    return closed;
  };
  cleanUp(t, close);
  return { ...gateway, close };
}

export const password = 'correct horse battery';

/** Somebody with an account, and what they hold. */
export class Person {
  readonly url: string;
  readonly id: string;
  readonly email: string;
  /** The session token. */
  readonly token: string;

  static #people = 0;

  static async signUp(url: string, email = `person${++Person.#people}@example.com`): Promise<Person> {
    const answer = await call(url, { path: '/v1/users/signup', body: { email, password } });
    if (answer.status !== 201) throw new Error(`no account: ${answer.status} ${answer.text}`);
    return new Person(url, answer);
  }

  private constructor(url: string, { json }: RawAnswer) {
    this.url = url;
    this.id = String(at(json, 'user', 'id'));
    this.email = String(at(json, 'user', 'email'));
    this.token = String(json.token);
  }

  /** With the session token. */
  call(sent: RawRequest): Promise<RawAnswer> {
    return call(this.url, { ...sent, headers: [...bearer(this.token), ...(sent.headers ?? [])] });
  }

  async makeKey(fields: object = {}): Promise<CreatedKey> {
    const { status, text, json } = await this.call({ path: '/v1/keys', body: fields });
    if (status !== 201) throw new Error(`no key: ${status} ${text}`);
    return { id: String(json.id), key: String(json.key) };
  }
}

export interface CreatedKey {
  readonly id: string;
  /** The whole of it. */
  readonly key: string;
}

export function bearer(token: string): readonly string[] {
  return ['authorization', `Bearer ${token}`];
}
