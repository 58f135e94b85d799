import { limits } from '../kernel/limits.ts';
import { isErrorLike, messageOf, stackOf, typeOf } from './error-facts.ts';

const unreadable = '[unreadable]';

/** Facts as they are written down: only what JSON has, and never so much or so deep that it doesn't end. */
export function factsOf(facts: object): readonly (readonly [string, unknown])[] {
  return readable(
    () => entriesOf(facts).map(([name, fact]) => [name, fact === facts ? '[circular]' : named(name, fact)]),
    [],
  );
}

/** What is called an error need not be one of this realm, nor of any class. */
function named(name: string, fact: unknown): unknown {
  if (name === 'err' && isErrorLike(fact)) return readable<unknown>(() => errorFacts(fact, []), unreadable);
  return plain(fact, []);
}

function plain(fact: unknown, above: readonly object[]): unknown {
  if (typeof fact === 'bigint') return String(fact);
  // JSON has no functions, but asks them for what they would like to be.
  if (typeof fact === 'function') return undefined;
  if (typeof fact !== 'object' || fact === null) return fact;
  if (above.includes(fact)) return '[circular]';
  if (above.length > limits.logFactsDepthMax) return Array.isArray(fact) ? '[array]' : '[object]';
  return readable(() => plainObject(fact, above), unreadable);
}

function plainObject(fact: object, above: readonly object[]): unknown {
  if (fact instanceof Error) return errorFacts(fact, above);
  // What a client or a provider said has no place in the log.
  if (ArrayBuffer.isView(fact)) return `[${fact.byteLength} bytes]`;
  if ('toJSON' in fact && typeof fact.toJSON === 'function') return plain(fact.toJSON(), [...above, fact]);
  const within = [...above, fact];
  if (Array.isArray(fact)) return fact.slice(0, limits.logFactsMax).map((each) => plain(each, within));
  return Object.fromEntries(entriesOf(fact).map(([name, each]) => [name, plain(each, within)]));
}

/** The causes of an error are told in its message and its stack. */
function errorFacts(error: object, above: readonly object[]): object {
  const within = [...above, error];
  const facts: Record<string, unknown> = {
    type: typeOf(error),
    message: messageOf(error),
    stack: stackOf(error),
  };
  if ('errors' in error && Array.isArray(error.errors)) facts.aggregateErrors = plain(error.errors, within);
  for (const [name, fact] of entriesOf(error)) {
    const isTold = name in facts || (name === 'cause' && isErrorLike(fact)) || name === 'errors';
    if (!isTold) facts[name] = plain(fact, within);
  }
  return facts;
}

function entriesOf(facts: object): readonly (readonly [string, unknown])[] {
  return Object.keys(facts)
    .slice(0, limits.logFactsMax)
    .map((name) => [name, readable((): unknown => Reflect.get(facts, name), unreadable)]);
}

/** Getters, proxies and functions of others may throw. */
function readable<Read>(read: () => Read, otherwise: Read): Read {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
