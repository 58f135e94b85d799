import { agree } from './agreement.ts';
import { bypassOf } from './bypass.ts';
import { differenceOf } from './text/difference.ts';
import { doubtOf } from './text/doubt.ts';
import { opposites } from './text/other-words/opposites.ts';
import { values } from './text/reading/kinds.ts';
import { type Prompt, readingOf } from './text/reading/prompt.ts';
import { askRules } from './text/vetoes.ts';

/** From little to much, so that each has only some of what is read for the first time. */
const samples = [
  'Explain it',
  'Give me 5 names',
  'How do I get to Rome?',
  'Hi, could you please tell me how the old Bosch pump "X-7" in my cellar is cleaned in 3 steps, without taking it apart? Thanks!',
  "Hello! What's the best way to clean an old pump in the cellar for $20 at 5 p.m. if it wasn't used by us, and who can do it?",
];

/** Fills the tables, and reads and compares a few prompts: what runs for the first time is slow. Does a little at a time. */
export function* warmUp(): Generator<undefined> {
  for (const table of [values, opposites]) while (table.fillLine()) yield;
  // Regular expressions are compiled when they run first, and again when they run a second time.
  for (let time = 0; time < 2; time++) {
    const prompts: Prompt[] = [];
    for (const sample of samples) {
      const prompt = yield* readingOf(sample);
      prompts.push(prompt);
      bypassOf(prompt, { current: 'bypass' });
      yield;
    }
    for (const [at, now] of prompts.entries()) {
      const old = prompts[at - 1] ?? now;
      for (const _ of askRules(old, now)) yield;
      doubtOf(old, now, differenceOf(old, now));
      yield;
      agree({ text: old.sent, calls: '' }, { text: now.sent, calls: '' }, 1);
      yield;
    }
  }
}
