import { pathToFileURL } from 'node:url';
import type { Expression } from './find.ts';

const here = pathToFileURL(`${process.cwd()}/`).href;

/** Every expression that is built while `RegExp` is watched, by the place in this project that calls it. */
export function watchRegExp(): { readonly built: readonly Expression[]; stop(): void } {
  const built: Expression[] = [];
  const original = globalThis.RegExp;
  const note = (expression: RegExp): RegExp => {
    const { source, flags } = expression;
    built.push({ place: callerOf(new Error().stack ?? ''), source, flags, isBounded: false });
    return expression;
  };
  globalThis.RegExp = new Proxy(original, {
    construct: (_, [source, flags]: [string, string?]) => note(new original(source, flags)),
    apply: (_, __, [source, flags]: [string, string?]) => note(original(source, flags)),
  });
  return {
    built,
    stop() {
      globalThis.RegExp = original;
    },
  };
}

/** The third line of a trace: below this file's two functions. */
function callerOf(stack: string): string {
  const [, , , line = ''] = stack.split('\n');
  const [place = ''] = line
    .slice(Math.max(0, line.indexOf(here)))
    .replace(here, '')
    .split(')');
  return place.replace('?watched', '').split(':').slice(0, 2).join(':');
}
