import { setImmediate } from 'node:timers/promises';

/**
 * Loads the rules and word lists and runs them once, in small steps that yield to the event loop. In one go it would block all
 * other calls of the process for a tenth of a second.
 */
export async function loadInSlices(): Promise<void> {
  for (const load of moduleLoaders) {
    await load();
    await setImmediate();
  }
  const { warmUp } = await import('./warm-up.ts');
  let since = performance.now();
  for (const _ of warmUp()) {
    if (performance.now() - since < turnMs) continue;
    await setImmediate();
    since = performance.now();
  }
}

/** The last step may take up to 4 ms more, which keeps a turn under five. */
const turnMs = 0.5;

/** Dependencies first. */
const moduleLoaders: readonly (() => Promise<unknown>)[] = [
  () => import('./text/reading/stems.ts'),
  () => import('./text/reading/word-set.ts'),
  () => import('./text/reading/word-table.ts'),
  () => import('./text/reading/value-kinds.ts'),
  () => import('./text/other-words/opposites.ts'),
  () => import('./text/reading/words.ts'),
  () => import('./text/reading/number-words.ts'),
  () => import('./text/reading/numbers.ts'),
  () => import('./text/reading/marks.ts'),
  () => import('./text/reading/politeness.ts'),
  () => import('./text/reading/negation.ts'),
  () => import('./text/reading/question-form.ts'),
  () => import('./text/reading/prompt.ts'),
  () => import('./text/difference.ts'),
  () => import('./text/who-does-what/order.ts'),
  () => import('./text/other-words/names.ts'),
  () => import('./text/other-words/lookalikes.ts'),
  () => import('./text/other-words/values.ts'),
  () => import('./text/who-does-what/persons.ts'),
  () => import('./text/who-does-what/roles.ts'),
  () => import('./text/other-question/tasks.ts'),
  () => import('./text/other-question/question-scope.ts'),
  () => import('./text/who-does-what/actors.ts'),
  () => import('./text/who-does-what/addressees.ts'),
  () => import('./text/small-changes/alignment.ts'),
  () => import('./text/small-changes/small-words.ts'),
  () => import('./text/small-changes/inflection.ts'),
  () => import('./text/other-words/derivation.ts'),
  () => import('./text/small-changes/capitals.ts'),
  () => import('./text/other-words/narrowing.ts'),
  () => import('./text/vetoes.ts'),
  () => import('./bypass.ts'),
  () => import('./candidate-selection.ts'),
  () => import('./agreement.ts'),
];
