import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { OperationFault } from './operation-fault.ts';
import type { FilteredOperation } from './operation-filter.ts';
import type { References } from './references.ts';

export interface Operation extends FilteredOperation {
  readonly described: JsonObject;
  /** Parameters of all operations of the path. */
  readonly shared: unknown;
  /** Servers of this operation alone. */
  readonly servers: JsonObject;
}

/** All operations of a document; those that requests can't be made for are left out. */
export function operationsIn(
  references: References,
  leave: (operation: Operation, reason: string) => void,
): readonly Operation[] {
  const { paths } = references.document;
  const operations: Operation[] = [];
  for (const [path, described] of isJsonObject(paths) ? Object.entries(paths) : []) {
    if (path.startsWith('x-')) continue;
    const item = itemOf(described, references);
    if (typeof item === 'string') leave(operationOf(path, '*', {}, {}), item);
    else
      for (const [method, inner] of Object.entries(item)) {
        if (!methods.has(method) || !isJsonObject(inner)) continue;
        const operation = operationOf(path, method, item, inner);
        if (unsupported.has(method)) leave(operation, `requests with ${operation.method} are not made`);
        else operations.push(operation);
      }
  }
  return operations;
}

const unsupported = new Set(['options', 'trace']);
const methods = new Set(['get', 'head', 'post', 'put', 'patch', 'delete', ...unsupported]);

/** What is described under a path, or why it can't be read. */
function itemOf(described: unknown, references: References): JsonObject | string {
  try {
    const { $ref: _, ...own } = isJsonObject(described) ? described : {};
    return { ...references.resolve(described), ...own };
  } catch (error) {
    if (error instanceof OperationFault) return error.message;
    throw error;
  }
}

function operationOf(path: string, method: string, item: JsonObject, described: JsonObject): Operation {
  const { operationId, tags, deprecated, servers } = described;
  return {
    method: method.toUpperCase(),
    path,
    operationId: typeof operationId === 'string' && operationId !== '' ? operationId : undefined,
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [],
    isDeprecated: deprecated === true,
    described,
    shared: item.parameters,
    servers: servers === undefined ? { servers: item.servers } : { servers },
  };
}
