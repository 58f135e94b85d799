import { createRequire } from 'node:module';
import type { Diagnostics, Parameters } from 'recheck';
import type { Expression } from './find.ts';

// The build without a Java or native program beside it: the package's own entry would look for one.
const { checkSync }: typeof import('recheck') = createRequire(import.meta.url)('recheck/lib/browser.js');

/**
 * Bounds in steps and sizes instead of milliseconds: a busy machine must not change a verdict. Expressions with large automata are
 * searched for an attack instead, in fewer rounds than usual. With half as many rounds, quadratic ones that this code had were missed.
 */
export const parameters: Parameters = {
  timeout: null,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  attackLimit: 1e8,
  maxNFASize: 1000,
  maxIteration: 3,
  maxInitialGenerationSize: 100,
  maxGenerationSize: 50,
  mutationSize: 20,
  crossoverSize: 10,
};

/** What is wrong with an expression; undefined where it takes linear time, or its text is short and it isn't exponential. */
export function faultOf({ place, source, flags, isBounded }: Expression): string | undefined {
  const found: Diagnostics = checkSync(source, flags, parameters);
  if (found.status === 'safe') return undefined;
  if (isBounded && found.status === 'vulnerable' && found.complexity.type === 'polynomial') return undefined;
  const why =
    found.status === 'vulnerable'
      ? `${found.complexity.summary}, by ${found.attack.pattern}`
      : found.error.kind;
  return `${place} /${source}/${flags} ${why}`;
}
