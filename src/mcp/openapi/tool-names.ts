import { createHash } from 'node:crypto';
import { limits } from './limits.ts';

interface NamedOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string | undefined;
}

/** A name for each operation, which does not depend on the order of the document, nor on other operations unless they collide. */
export function nameTools(operations: readonly NamedOperation[]): readonly string[] {
  const wanted = operations.map(wantedName);
  const counts = Map.groupBy(wanted, (name) => name);
  return wanted.map((name, index) => {
    const operation = operations[index];
    const isUnique = counts.get(name)?.length === 1 && name.length <= limits.toolNameMax;
    return isUnique || operation === undefined ? name : withDigest(name, operation);
  });
}

/** Letters, digits, `_` and `-`, which all model providers accept. */
function wantedName({ method, path, operationId }: NamedOperation): string {
  const named = safeName(operationId ?? '');
  return named === '' ? safeName(`${method.toLowerCase()}${path.replace(/[{}]/g, '')}`) : named;
}

function safeName(text: string): string {
  const parts = text.split(/[^\w-]/).filter((part) => part !== '');
  return parts.join('_').replaceAll('__', '_');
}

function withDigest(name: string, { method, path }: NamedOperation): string {
  const digest = createHash('sha256').update(`${method} ${path}`).digest('hex').slice(0, 8);
  return `${name.slice(0, limits.toolNameMax - digest.length - 1)}_${digest}`;
}
