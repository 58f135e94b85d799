import { LazyJsonObject } from '../kernel/json/lazy-json-object.ts';
import { patchJson } from '../kernel/json/patch-json.ts';
import { type HeaderList, headerValuesOf } from '../lib/headers.ts';
import type { JsonObject } from '../lib/json.ts';

/** A Messages request in the form that clouds accept: model and stream move to the path, the version to the body. */
export function toCloudMessagesBody(
  body: Uint8Array,
  version: string,
  extraFields: JsonObject = {},
): Uint8Array {
  const lazyJsonObject = LazyJsonObject.of(body, noLimits);
  return patchJson(lazyJsonObject, {
    model: undefined,
    stream: undefined,
    anthropic_version: version,
    ...extraFields,
  });
}

/** For bodies that were checked on arrival or written by us. */
const noLimits = { valuesMax: Number.POSITIVE_INFINITY, depthMax: Number.POSITIVE_INFINITY };

/** The betas in all of the client's headers, without those that clouds don't support. */
export function supportedBetas(headers: HeaderList): readonly string[] {
  return headerValuesOf(headers, 'anthropic-beta')
    .flatMap((list) => list.split(','))
    .map((beta) => beta.trim())
    .filter((beta) => beta !== '' && !unsupportedBetas.test(beta));
}

/** Betas of Anthropic's own API: both clouds reject a call with one of them. */
const unsupportedBetas =
  /^(claude-code|oauth|prompt-caching-scope|files-api|mcp-client|skills|code-execution|managed-agents|message-batches|advisor|fast-mode|structured-outputs|web-fetch)/;

/** The headers whose lower-case names pass `isKept`. */
export function pickHeaders(headers: HeaderList, isKept: (name: string) => boolean): string[] {
  const picked: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? '';
    if (isKept(name.toLowerCase())) picked.push(name, headers[at + 1] ?? '');
  }
  return picked;
}
