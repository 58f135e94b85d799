import { LazyJsonObject } from '../../kernel/json/lazy-json-object.ts';
import { formatOfPath } from '../../wire/index.ts';

/** The model in the path of calls; undefined if their bodies name it. */
export function modelInCallPath(path: string): string | undefined {
  const { model } = formatOfPath(path)?.readRouting(noFields, path, '') ?? {};
  return typeof model === 'string' ? model : undefined;
}

const noFields = LazyJsonObject.of(Buffer.from('{}'));
