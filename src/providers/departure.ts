import type { Departure, Draft, Means } from '../kernel/departure.ts';
import type { Secret } from '../kernel/secret.ts';

/** A call on its way: to the provider's one address with the key in a header, unless it has a way of its own. */
export function departureOf(
  draft: Draft,
  credential: Secret | undefined,
  means: Means,
): Departure | Promise<Departure> {
  const { provider, path, headers, body } = draft;
  if (provider.depart !== undefined && credential !== undefined)
    return provider.depart(draft, credential, means);
  if (credential !== undefined) headers.push(...provider.authorize(credential));
  const secrets = credential === undefined ? none : [credential.reveal()];
  return { baseUrl: provider.baseUrl, path, headers, body, secrets };
}

const none: readonly string[] = [];
