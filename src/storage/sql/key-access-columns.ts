import { type AccessRules, isWithoutRules } from '../../kernel/access-rules.ts';
import type { ApiKeyChanges } from '../../kernel/ports/records.ts';
import type { Tables } from './tables.ts';

/** The columns of a key's access rules. */
export const accessColumns = [
  'api_keys.access_models',
  'api_keys.access_providers',
  'api_keys.access_tools',
  'api_keys.access_pipelines',
  'api_keys.access_addresses',
  'api_keys.expires_at_ms',
  'api_keys.end_user',
] as const;

export type AccessColumns = Pick<
  Tables['api_keys'],
  | 'access_models'
  | 'access_providers'
  | 'access_tools'
  | 'access_pipelines'
  | 'access_addresses'
  | 'expires_at_ms'
  | 'end_user'
>;

/** Undefined if all are null. */
export function toAccessRules(row: AccessColumns): AccessRules | undefined {
  const rules: AccessRules = {
    models: toList(row.access_models),
    providers: toList(row.access_providers),
    tools: toList(row.access_tools),
    pipelines: toList(row.access_pipelines),
    addresses: toList(row.access_addresses),
    expiresAtMs: row.expires_at_ms ?? undefined,
    endUser: row.end_user ?? undefined,
  };
  return isWithoutRules(rules) ? undefined : rules;
}

export function toAccessColumns(access: AccessRules | undefined): AccessColumns {
  return {
    access_models: fromList(access?.models),
    access_providers: fromList(access?.providers),
    access_tools: fromList(access?.tools),
    access_pipelines: fromList(access?.pipelines),
    access_addresses: fromList(access?.addresses),
    expires_at_ms: access?.expiresAtMs ?? null,
    end_user: access?.endUser ?? null,
  };
}

/** The columns that a change sets. */
export function changedAccessColumns(changes: ApiKeyChanges['access'] = {}): Partial<AccessColumns> {
  const { models, providers, tools, pipelines, addresses, expiresAtMs, endUser } = changes;
  return {
    ...(models === undefined ? {} : { access_models: fromList(models) }),
    ...(providers === undefined ? {} : { access_providers: fromList(providers) }),
    ...(tools === undefined ? {} : { access_tools: fromList(tools) }),
    ...(pipelines === undefined ? {} : { access_pipelines: fromList(pipelines) }),
    ...(addresses === undefined ? {} : { access_addresses: fromList(addresses) }),
    ...(expiresAtMs === undefined ? {} : { expires_at_ms: expiresAtMs }),
    ...(endUser === undefined ? {} : { end_user: endUser }),
  };
}

function fromList(list: readonly string[] | null | undefined): string | null {
  return list == null ? null : JSON.stringify(list);
}

/** A list of a newer version that this one can't read allows nothing. */
export function toList(json: string | null): readonly string[] | undefined {
  if (json === null) return undefined;
  try {
    const list: unknown = JSON.parse(json);
    return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : [];
  } catch {
    return [];
  }
}
