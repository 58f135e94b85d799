import { Wildcard } from '../../lib/wildcard.ts';
import type { ApiOperationFilter } from '../servers/mcp-server.ts';

export interface FilteredOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string | undefined;
  readonly tags: readonly string[];
  readonly isDeprecated: boolean;
}

/** Why the filter leaves an operation out; undefined if it doesn't. */
export function filterReason(operation: FilteredOperation, filter: ApiOperationFilter): string | undefined {
  const { allow, deny, deprecated = false } = filter;
  const denial = deny.find((pattern) => matches(pattern, operation));
  if (denial !== undefined) return `"${denial}" of deny matches it`;
  if (operation.isDeprecated && !deprecated) return 'it is deprecated';
  const isAllowed = allow.length === 0 || allow.some((pattern) => matches(pattern, operation));
  return isAllowed ? undefined : 'no pattern of allow matches it';
}

/** `tag:pets`, `GET`, `GET /pets/*`, `/pets/*`, or an operationId such as `list*`. */
function matches(pattern: string, { method, path, operationId, tags }: FilteredOperation): boolean {
  if (pattern.startsWith(tagPrefix)) {
    const wildcard = new Wildcard(pattern.slice(tagPrefix.length));
    return tags.some((tag) => wildcard.matches(tag));
  }
  if (pattern.startsWith('/')) return new Wildcard(pattern).matches(path);
  const [first = '', rest] = pattern.split(' /', 2);
  if (rest !== undefined)
    return (first === '*' || first.toUpperCase() === method) && new Wildcard(`/${rest}`).matches(path);
  if (pattern.toUpperCase() === method) return true;
  return operationId !== undefined && new Wildcard(pattern).matches(operationId);
}

const tagPrefix = 'tag:';
