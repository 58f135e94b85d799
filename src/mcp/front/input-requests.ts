import { isJsonObject, type JsonObject } from '../../lib/json.ts';

/** The capability that each kind of question needs. */
const neededCapabilities: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

/** What a client would have to be able to do to answer these questions; undefined if it can. */
export function missingCapabilities(requests: JsonObject, capabilities: JsonObject): JsonObject | undefined {
  const missing: Record<string, JsonObject> = {};
  for (const request of Object.values(requests)) {
    const method = isJsonObject(request) && typeof request.method === 'string' ? request.method : '';
    const needed = Object.hasOwn(neededCapabilities, method) ? neededCapabilities[method] : undefined;
    if (needed === undefined) missing[method] = {};
    else if (!isJsonObject(capabilities[needed]) || !canAnswer(request, capabilities[needed]))
      missing[needed] = {};
  }
  return Object.keys(missing).length === 0 ? undefined : missing;
}

/** Clients fill in forms unless they say otherwise, and open addresses only if they say so. */
function canAnswer(request: unknown, capability: JsonObject): boolean {
  const params = isJsonObject(request) && isJsonObject(request.params) ? request.params : {};
  if (params.mode === 'url') return isJsonObject(capability.url);
  return (
    params.mode === undefined ||
    Object.keys(capability).length === 0 ||
    isJsonObject(capability[String(params.mode)])
  );
}
