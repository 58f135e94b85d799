import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import { startTestGateway } from '../../src/testing/test-gateway.ts';

/** The `paths` of the OpenAPI description in one mode. Each mode has routes that the other lacks or only rejects. */
export async function openapiPaths(mode: 'local' | 'cloud'): Promise<JsonObject> {
  const weir = await startTestGateway({ WEIR_MODE: mode, WEIR_DASHBOARD: 'off', WEIR_EMBEDDINGS: 'off' });
  try {
    return objectOf(objectOf(await (await fetch(`${weir.url}/openapi.json`)).json()).paths);
  } finally {
    await weir.close();
  }
}

export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
