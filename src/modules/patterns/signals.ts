import { contentWords, type Message, plain, type Verdict } from '../../module-api.ts';
import { isCorrection } from './lessons.ts';
import { limits } from './limits.ts';
import type { SignalName } from './options.ts';
import { spokenWords } from './own-words.ts';
import { testsPassed } from './test-runs.ts';
import { toolStepsIn } from './tool-steps.ts';

/** What each counts of a conversation, where nobody tells its outcome. */
const weights: Readonly<Record<SignalName, number>> = { tools: 0.2, tests: 0.3, correction: 0.3, retry: 0.2 };

/** How a conversation seems to go from a message on. The same messages give the same verdict. */
export function seemsIn(messages: readonly Message[], from: number, signals: readonly SignalName[]): Verdict {
  let [good, bad] = [0, 0];
  for (const name of signals) {
    const share = readings[name](messages, from);
    if (share === undefined) continue;
    good += weights[name] * share;
    bad += weights[name] * (1 - share);
  }
  return { good, bad };
}

/** From 0, bad, to 1, good; undefined where there is nothing to see. */
const readings: Readonly<
  Record<SignalName, (messages: readonly Message[], from: number) => number | undefined>
> = {
  tools(messages, from) {
    const steps = toolStepsIn(messages).filter(({ at }) => at > from);
    return steps.length === 0 ? undefined : steps.filter(({ failed }) => !failed).length / steps.length;
  },
  tests(messages, from) {
    const runs = toolStepsIn(messages).filter(({ at }) => at > from);
    const last = runs.map(({ output }) => testsPassed(output)).findLast((passed) => passed !== undefined);
    return last === undefined ? undefined : Number(last);
  },
  correction(messages, from) {
    return spokenAfter(messages, from).some(isCorrection) ? 0 : undefined;
  },
  retry(messages, from) {
    const said = messages
      .slice(from)
      .map(spokenWords)
      .filter((text) => text !== '')
      .map(wordsOf);
    return said.some((words, at) => words !== '' && said.indexOf(words) < at) ? 0 : undefined;
  },
};

function spokenAfter(messages: readonly Message[], from: number): readonly string[] {
  return messages
    .slice(from + 1)
    .map((message) => plain(spokenWords(message), limits.correctionCharactersMax + 1))
    .filter((text) => text !== '');
}

function wordsOf(text: string): string {
  const words = contentWords(text);
  return words.length < 2 ? '' : words.join(' ');
}
