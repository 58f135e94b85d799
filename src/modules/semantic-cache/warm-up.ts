import { compareAnswers } from './agreement.ts';
import { bypassReasonOf } from './bypass.ts';
import { differenceOf } from './text/difference.ts';
import { doubtOf } from './text/doubt.ts';
import { opposites } from './text/other-words/opposites.ts';
import { type ParsedPrompt, parsePromptInSteps } from './text/reading/prompt.ts';
import { kindValues } from './text/reading/value-kinds.ts';
import { evaluateRules } from './text/vetoes.ts';

/** Ordered by complexity, so that each runs only some code for the first time. */
const samples = [
  'Explain it',
  'Give me 5 names',
  'How do I get to Rome?',
  'Hi, could you please tell me how the old Bosch pump "X-7" in my cellar is cleaned in 3 steps, without taking it apart? Thanks!',
  "Hello! What's the best way to clean an old pump in the cellar for $20 at 5 p.m. if it wasn't used by us, and who can do it?",
];

/** Fills the tables, and parses and compares sample prompts, because first runs are slow. Works in small steps. */
export function* warmUp(): Generator<undefined> {
  for (const table of [kindValues, opposites]) while (table.fillLine()) yield;
  // V8 compiles a regular expression at its first run and again at its second.
  for (let time = 0; time < 2; time++) {
    const prompts: ParsedPrompt[] = [];
    for (const sample of samples) {
      const parsedPrompt = yield* parsePromptInSteps(sample);
      prompts.push(parsedPrompt);
      bypassReasonOf(parsedPrompt, { current: 'bypass' });
      yield;
    }
    for (const [at, now] of prompts.entries()) {
      const old = prompts[at - 1] ?? now;
      for (const _ of evaluateRules(old, now)) yield;
      doubtOf(old, now, differenceOf(old, now));
      yield;
      compareAnswers({ text: old.original, calls: '' }, { text: now.original, calls: '' }, 1);
      yield;
    }
  }
}
