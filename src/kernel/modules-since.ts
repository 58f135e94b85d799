import { isJsonObject } from '../lib/json.ts';
import { GatewayError } from './errors.ts';
import { parsePipelineList } from './pipeline-list.ts';

/** Since when modules are in a pipeline, by their names. */
export type ModulesSince = Readonly<Record<string, number>>;

/** For a pipeline that follows another. Modules that stay keep their time; an invalid list changes nothing. */
export function modulesSince(text: string, before: ModulesSince, nowMs: number): ModulesSince {
  const names = namesOf(text);
  if (names === undefined) return before;
  return Object.fromEntries(
    names.map((name) => [name, Object.hasOwn(before, name) ? (before[name] ?? nowMs) : nowMs]),
  );
}

function namesOf(text: string): readonly string[] | undefined {
  try {
    return parsePipelineList(text).map(({ name }) => name);
  } catch (thrown) {
    if (GatewayError.is(thrown)) return undefined;
    throw thrown;
  }
}

/** Undefined times are left out: a newer version may have stored something else. */
export function parseModulesSince(value: unknown): ModulesSince {
  const times = Object.entries(isJsonObject(value) ? value : {});
  return Object.fromEntries(times.flatMap(([name, ms]) => (typeof ms === 'number' ? [[name, ms]] : [])));
}
