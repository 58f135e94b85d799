import { type HeaderList, headerValuesOf } from '../kernel/headers.ts';
import type { JsonObject } from '../kernel/json.ts';
import { LazyJsonObject } from '../kernel/lazy-json-object.ts';
import { patchJson } from '../kernel/patch-json.ts';

/** A Messages call as clouds take it: the model and the stream are said in the path, the version in the body. */
export function toCloudMessagesBody(body: Uint8Array, version: string, more: JsonObject = {}): Uint8Array {
  const lazyJsonObject = LazyJsonObject.of(body, noLimits);
  return patchJson(lazyJsonObject, {
    model: undefined,
    stream: undefined,
    anthropic_version: version,
    ...more,
  });
}

/** What was checked when it came in, or written here. */
const noLimits = { valuesMax: Number.POSITIVE_INFINITY, depthMax: Number.POSITIVE_INFINITY };

/** The betas that a client asks for, in as many headers as it likes, without those that no cloud knows. */
export function supportedBetas(headers: HeaderList): readonly string[] {
  return headerValuesOf(headers, 'anthropic-beta')
    .flatMap((list) => list.split(','))
    .map((beta) => beta.trim())
    .filter((beta) => beta !== '' && !unsupportedBetas.test(beta));
}

/** Those of Anthropic's own API: both clouds refuse a call that names one of them. */
const unsupportedBetas =
  /^(claude-code|oauth|prompt-caching-scope|files-api|mcp-client|skills|code-execution|managed-agents|message-batches|advisor|fast-mode|structured-outputs|web-fetch)/;

/** The headers whose names, in lower case, are kept. */
export function pickHeaders(headers: HeaderList, isKept: (name: string) => boolean): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? '';
    if (isKept(name.toLowerCase())) kept.push(name, headers[at + 1] ?? '');
  }
  return kept;
}
