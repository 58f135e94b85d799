import { limits } from '../kernel/limits.ts';
import { errorMessage, errorStack, errorType, isErrorLike } from './error-attributes.ts';

const unreadable = '[unreadable]';

/** Facts as they are written down: only what JSON has, and never so much or so deep that it doesn't end. */
export function toLogAttributes(facts: object): readonly (readonly [string, unknown])[] {
  return readOr(
    () =>
      readEntries(facts).map(([name, fact]) => [
        name,
        fact === facts ? '[circular]' : toLogAttribute(name, fact),
      ]),
    [],
  );
}

/** What is called an error need not be one of this realm, nor of any class. */
function toLogAttribute(name: string, fact: unknown): unknown {
  if (name === 'err' && isErrorLike(fact))
    return readOr<unknown>(() => errorAttributes(fact, []), unreadable);
  return toPlainValue(fact, []);
}

function toPlainValue(fact: unknown, above: readonly object[]): unknown {
  if (typeof fact === 'bigint') return String(fact);
  // JSON has no functions, but asks them for what they would like to be.
  if (typeof fact === 'function') return undefined;
  if (typeof fact !== 'object' || fact === null) return fact;
  if (above.includes(fact)) return '[circular]';
  if (above.length > limits.logAttributesDepthMax) return Array.isArray(fact) ? '[array]' : '[object]';
  return readOr(() => toPlainObject(fact, above), unreadable);
}

function toPlainObject(fact: object, above: readonly object[]): unknown {
  if (fact instanceof Error) return errorAttributes(fact, above);
  // What a client or a provider said has no place in the log.
  if (ArrayBuffer.isView(fact)) return `[${fact.byteLength} bytes]`;
  if ('toJSON' in fact && typeof fact.toJSON === 'function')
    return toPlainValue(fact.toJSON(), [...above, fact]);
  const within = [...above, fact];
  if (Array.isArray(fact))
    return fact.slice(0, limits.logAttributesMax).map((each) => toPlainValue(each, within));
  return Object.fromEntries(readEntries(fact).map(([name, each]) => [name, toPlainValue(each, within)]));
}

/** The causes of an error are told in its message and its stack. */
function errorAttributes(error: object, above: readonly object[]): object {
  const within = [...above, error];
  const facts: Record<string, unknown> = {
    type: errorType(error),
    message: errorMessage(error),
    stack: errorStack(error),
  };
  if ('errors' in error && Array.isArray(error.errors))
    facts.aggregateErrors = toPlainValue(error.errors, within);
  for (const [name, fact] of readEntries(error)) {
    const isTold = name in facts || (name === 'cause' && isErrorLike(fact)) || name === 'errors';
    if (!isTold) facts[name] = toPlainValue(fact, within);
  }
  return facts;
}

function readEntries(facts: object): readonly (readonly [string, unknown])[] {
  return Object.keys(facts)
    .slice(0, limits.logAttributesMax)
    .map((name) => [name, readOr((): unknown => Reflect.get(facts, name), unreadable)]);
}

/** Getters, proxies and functions of others may throw. */
function readOr<Read>(read: () => Read, otherwise: Read): Read {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
