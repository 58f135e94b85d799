import { z } from 'zod';
import { isJsonObject } from '../../lib/json.ts';
import { limits } from '../../providers/limits.ts';
import { type OwnProviderSettings, ownProviderSettings } from '../../providers/own/own-provider-settings.ts';

/** A provider as its account has stored it. */
export interface StoredOwnProvider {
  readonly settings: OwnProviderSettings;
  /** The names of its headers, whose values are stored with the keys. */
  readonly headers: readonly string[];
}

const headerNames = z.array(z.string().max(100)).max(limits.ownHeadersMax).default([]);

/** Undefined for what this version can't read. */
export function readOwnProvider(content: unknown): StoredOwnProvider | undefined {
  if (!isJsonObject(content)) return undefined;
  const { headers, ...rest } = content;
  const names = headerNames.safeParse(headers);
  const settings = ownProviderSettings.safeParse(rest);
  return names.success && settings.success ? { settings: settings.data, headers: names.data } : undefined;
}
