import { setImmediate } from 'node:timers/promises';

/**
 * Loads the rules and word lists and goes through them once, a little in each turn of the event loop. All at once it would hold up
 * every other call of the process for a tenth of a second.
 */
export async function loadInTurns(): Promise<void> {
  for (const load of parts) {
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

/** The step that goes beyond it takes up to 4 ms, and a turn with it should stay under five. */
const turnMs = 0.5;

/** Those that others import come first. */
const parts: readonly (() => Promise<unknown>)[] = [
  () => import('./text/stems.ts'),
  () => import('./text/word-table.ts'),
  () => import('./text/kinds.ts'),
  () => import('./text/opposites.ts'),
  () => import('./text/words.ts'),
  () => import('./text/numbers.ts'),
  () => import('./text/marks.ts'),
  () => import('./text/manners.ts'),
  () => import('./text/negation.ts'),
  () => import('./text/question-form.ts'),
  () => import('./text/prompt.ts'),
  () => import('./text/difference.ts'),
  () => import('./text/order.ts'),
  () => import('./text/names.ts'),
  () => import('./text/lookalikes.ts'),
  () => import('./text/persons.ts'),
  () => import('./text/roles.ts'),
  () => import('./text/tasks.ts'),
  () => import('./text/scope-of-question.ts'),
  () => import('./text/who-acts.ts'),
  () => import('./text/changes.ts'),
  () => import('./text/small-words.ts'),
  () => import('./text/inflection.ts'),
  () => import('./text/derivation.ts'),
  () => import('./text/capitals.ts'),
  () => import('./text/narrowing.ts'),
  () => import('./text/vetoes.ts'),
  () => import('./bypass.ts'),
  () => import('./decision.ts'),
  () => import('./agreement.ts'),
];
