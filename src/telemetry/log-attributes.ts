import { errorMessage, errorStack, errorType, isErrorLike } from './error-attributes.ts';
import { limits } from './limits.ts';

const unreadable = '[unreadable]';

/** Converts attributes to JSON values, bounded in number and depth. */
export function toLogAttributes(attributes: object): readonly (readonly [string, unknown])[] {
  return readOr(
    () =>
      readEntries(attributes).map(([name, value]) => [
        name,
        value === attributes ? '[circular]' : toLogAttribute(name, value),
      ]),
    [],
  );
}

/** An `err` may come from another realm or have no error class. */
function toLogAttribute(name: string, value: unknown): unknown {
  if (name === 'err' && isErrorLike(value))
    return readOr<unknown>(() => errorAttributes(value, []), unreadable);
  return toPlainValue(value, []);
}

function toPlainValue(value: unknown, above: readonly object[]): unknown {
  if (typeof value === 'bigint') return String(value);
  // JSON would call the `toJSON` of a function.
  if (typeof value === 'function') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (above.includes(value)) return '[circular]';
  if (above.length > limits.logAttributesDepthMax) return Array.isArray(value) ? '[array]' : '[object]';
  return readOr(() => toPlainObject(value, above), unreadable);
}

function toPlainObject(value: object, above: readonly object[]): unknown {
  if (value instanceof Error) return errorAttributes(value, above);
  // Content of clients and providers must not be logged.
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return toPlainValue(value.toJSON(), [...above, value]);
  const within = [...above, value];
  if (Array.isArray(value))
    return value.slice(0, limits.logAttributesMax).map((each) => toPlainValue(each, within));
  return Object.fromEntries(readEntries(value).map(([name, each]) => [name, toPlainValue(each, within)]));
}

/** The message and the stack include the causes. */
function errorAttributes(error: object, above: readonly object[]): object {
  const within = [...above, error];
  const attributes: Record<string, unknown> = {
    type: errorType(error),
    message: errorMessage(error),
    stack: errorStack(error),
  };
  if ('errors' in error && Array.isArray(error.errors))
    attributes.aggregateErrors = toPlainValue(error.errors, within);
  for (const [name, value] of readEntries(error)) {
    const isIncluded = name in attributes || (name === 'cause' && isErrorLike(value)) || name === 'errors';
    if (!isIncluded) attributes[name] = toPlainValue(value, within);
  }
  return attributes;
}

function readEntries(attributes: object): readonly (readonly [string, unknown])[] {
  return Object.keys(attributes)
    .slice(0, limits.logAttributesMax)
    .map((name) => [name, readOr((): unknown => Reflect.get(attributes, name), unreadable)]);
}

/** Foreign getters, proxies and functions may throw. */
function readOr<Read>(read: () => Read, otherwise: Read): Read {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
