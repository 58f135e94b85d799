import { z } from 'zod';
import { type Gateway, startWeir, type WeirSettings } from './weir.ts';

/** A gateway with accounts on its embedded store. */
export function startCloud({ environment, ...settings }: WeirSettings): Promise<Gateway> {
  const cloud = { WEIR_MODE: 'cloud', WEIR_TIER_FREE_LIMIT: '1000000000' };
  return startWeir({ ...settings, environment: { ...cloud, ...environment } });
}

/** Makes an API key with this pipeline; null runs the gateway's own. */
export type MakeKey = (pipelineConfig: string | null) => Promise<string>;

const session = z.object({ token: z.string() });
const madeKey = z.object({ key: z.string() });

/** Makes an account whose provider keys are stored; resolves to how it makes keys of its own. */
export async function signUp(origin: string, name: string): Promise<MakeKey> {
  const person = { email: `${name}@example.com`, password: 'correct horse battery' };
  const { token } = session.parse(await ask(`${origin}/v1/users/signup`, 'POST', { body: person }));
  await ask(`${origin}/v1/byok/openai`, 'PUT', { token, body: { key: 'sk-bench' } });
  await ask(`${origin}/v1/byok/anthropic`, 'PUT', { token, body: { key: 'sk-ant-bench' } });
  return async (pipelineConfig) => {
    const body = pipelineConfig === null ? {} : { pipelineConfig };
    return madeKey.parse(await ask(`${origin}/v1/keys`, 'POST', { token, body })).key;
  };
}

interface ApiRequest {
  readonly token?: string;
  readonly body: object;
}

async function ask(url: string, method: string, { token, body }: ApiRequest): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  return response.json();
}
