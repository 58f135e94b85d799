import { randomUUID } from 'node:crypto';
import { bearer, Person } from '../support/cloud.ts';
import { fuzzOwnRoutes, type RouteFuzzing } from './fuzz-own-routes.ts';

/** The own routes of a gateway with accounts, asked by strangers, by two who have one, and with a key that is revoked. */
export async function fuzzWithAccounts(url: string, run: RouteFuzzing): Promise<number> {
  const [ada, eve] = [await Person.signUp(url), await Person.signUp(url)];
  const [adas, eves, revoked] = [await ada.makeKey(), await eve.makeKey(), await eve.makeKey()];
  await eve.call({ method: 'DELETE', path: `/v1/keys/${revoked.id}` });
  const spare = await ada.makeKey();
  const ids = [spare.id, eves.id, revoked.id, randomUUID(), 'openai'];
  const credentials = [[], bearer(ada.token), bearer(adas.key), bearer(revoked.key), ['x-api-key', 'x']];
  const calls = await fuzzOwnRoutes(url, { ids, credentials }, run);
  const { status } = await ada.call({ path: '/v1/users/me' });
  if (status !== 200) throw new Error(`the session was not good to the end: ${status}`);
  return calls;
}
