import type { ChatRequest } from '../kernel/message.ts';
import { isJsonObject } from '../lib/json.ts';
import { stringOf } from './json-values.ts';

/** The requested service tier in OpenAI's words; undefined if the request names none. */
function serviceTierOf(request: ChatRequest): string | undefined {
  const { extensions } = request;
  const owners = isJsonObject(extensions) ? Object.values(extensions).filter(isJsonObject) : [];
  for (const fields of [{ ...request }, ...owners])
    for (const name of ['service_tier', 'serviceTier']) {
      const tier = stringOf(Reflect.get(fields, name));
      if (tier !== undefined) return tier === 'standard_only' || tier === 'standard' ? 'default' : tier;
    }
  return undefined;
}

/** The tier if the provider has it, which is then no longer among the dropped fields. */
export function acceptedServiceTier(
  request: ChatRequest,
  accepted: readonly string[],
  dropped: Set<string>,
): string | undefined {
  const tier = serviceTierOf(request);
  if (tier === undefined || !accepted.includes(tier)) return undefined;
  dropped.delete('service_tier');
  dropped.delete('serviceTier');
  return tier;
}
