import { limits } from './limits.ts';

export function isErrorLike(fact: unknown): fact is object {
  try {
    return typeof fact === 'object' && fact !== null && 'message' in fact && typeof fact.message === 'string';
  } catch {
    return false;
  }
}

export function errorType(error: object): string {
  return typeof error.constructor === 'function' ? error.constructor.name : textOf(error, 'name');
}

/** The messages of an error and its causes. */
export function errorMessage(error: object): string {
  return causeChain(error)
    .map((each) => textOf(each, 'message'))
    .join(': ');
}

export function errorStack(error: object): string {
  return causeChain(error)
    .map((each) => textOf(each, 'stack'))
    .join('\ncaused by: ');
}

/** An error followed by its chain of causes. */
function causeChain(error: object): readonly object[] {
  const chain = [error];
  let last = error;
  while (chain.length < limits.logCausesMax) {
    const cause: unknown = 'cause' in last ? last.cause : undefined;
    if (!isErrorLike(cause) || chain.includes(cause)) break;
    chain.push(cause);
    last = cause;
  }
  return chain;
}

function textOf(error: object, name: string): string {
  const text: unknown = Reflect.get(error, name);
  return typeof text === 'string' ? text : '';
}
