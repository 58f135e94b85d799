import { contentWords, type Message, toPlainLine, userOnlyTextOf } from '../../module-api.ts';
import { completedToolCallsIn } from './completed-tool-calls.ts';
import { isCorrection } from './lessons.ts';
import { limits } from './limits.ts';
import type { SignalName } from './options.ts';
import type { Verdict } from './pattern.ts';
import { didTestsPass } from './test-runs.ts';

/** The weight of each signal in a conversation without a reported outcome. */
const weights: Readonly<Record<SignalName, number>> = { tools: 0.2, tests: 0.3, correction: 0.3, retry: 0.2 };

/** Judges how a conversation goes from a message on. Deterministic. */
export function scoreConversation(
  messages: readonly Message[],
  from: number,
  signals: readonly SignalName[],
): Verdict {
  let [good, bad] = [0, 0];
  for (const name of signals) {
    const share = signalReaders[name](messages, from);
    if (share === undefined) continue;
    good += weights[name] * share;
    bad += weights[name] * (1 - share);
  }
  return { good, bad };
}

/** From 0, bad, to 1, good; undefined without evidence. */
const signalReaders: Readonly<
  Record<SignalName, (messages: readonly Message[], from: number) => number | undefined>
> = {
  tools(messages, from) {
    const steps = completedToolCallsIn(messages).filter(({ at }) => at > from);
    return steps.length === 0 ? undefined : steps.filter(({ failed }) => !failed).length / steps.length;
  },
  tests(messages, from) {
    const runs = completedToolCallsIn(messages).filter(({ at }) => at > from);
    const last = runs.map(({ output }) => didTestsPass(output)).findLast((passed) => passed !== undefined);
    return last === undefined ? undefined : Number(last);
  },
  correction(messages, from) {
    return userTextsAfter(messages, from).some(isCorrection) ? 0 : undefined;
  },
  retry(messages, from) {
    const said = messages
      .slice(from)
      .map(userOnlyTextOf)
      .filter((text) => text !== '')
      .map(contentWordsKey);
    return said.some((words, at) => words !== '' && said.indexOf(words) < at) ? 0 : undefined;
  },
};

function userTextsAfter(messages: readonly Message[], from: number): readonly string[] {
  return messages
    .slice(from + 1)
    .map((message) => toPlainLine(userOnlyTextOf(message), limits.correctionCharactersMax + 1))
    .filter((text) => text !== '');
}

function contentWordsKey(text: string): string {
  const words = contentWords(text);
  return words.length < 2 ? '' : words.join(' ');
}
