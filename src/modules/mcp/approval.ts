import { Wildcard } from '../../module-api.ts';
import type { ListedTool } from './listed-tool.ts';
import type { McpOptions } from './options.ts';

/** What the options say of a tool. */
export type Approval =
  | 'run'
  /** It runs if the client agrees to the call. */
  | 'ask'
  /** It is not offered. */
  | 'refuse';

export function approvalOf(
  { gatewayName, isReadOnly }: Pick<ListedTool, 'gatewayName' | 'isReadOnly'>,
  { approve, tools, never }: Pick<McpOptions, 'approve' | 'tools' | 'never'>,
): Approval {
  if (matchesAny(never, gatewayName)) return 'refuse';
  if (approve === 'all' || matchesAny(tools, gatewayName)) return 'run';
  if (approve === 'listed') return 'refuse';
  if (isReadOnly) return 'run';
  return approve === 'ask' ? 'ask' : 'refuse';
}

/** Whether answers of the tool may be used again: a person has named it, or has named it with `*` and its server calls it read-only. */
export function isCacheable(
  { gatewayName, isReadOnly }: Pick<ListedTool, 'gatewayName' | 'isReadOnly'>,
  { cache }: Pick<McpOptions, 'cache'>,
): boolean {
  return cache.includes(gatewayName) || (isReadOnly && matchesAny(cache, gatewayName));
}

function matchesAny(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => new Wildcard(pattern).matches(name));
}
