import {
  type ChatRequest,
  contentWords,
  isFreeOfSecrets,
  significantWords,
  toPlainLine,
  userOnlyTextOf,
} from '../../module-api.ts';
import { describeArguments, describeChanges } from './argument-shapes.ts';
import { type CompletedToolCall, classifyFailure, completedToolCallsIn } from './completed-tool-calls.ts';
import { patternFingerprint } from './fingerprint.ts';
import { limits } from './limits.ts';
import type { PatternTrigger } from './pattern.ts';

/** A lesson from the newest turn of a conversation. */
export interface Lesson {
  readonly trigger: PatternTrigger;
  readonly advice: string;
  readonly fingerprint: string;
}

export function extractLessons(request: ChatRequest): readonly Lesson[] {
  const steps = completedToolCallsIn(request.messages);
  const newest = request.messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  const fresh = steps.filter(({ at }) => at >= newest);
  const lessons = [
    ...fresh.flatMap((step) => lessonsFromToolCall(step, steps, request)),
    ...lessonsFromCorrection(request, newest),
  ];
  const seen = new Set<string>();
  return lessons
    .filter(({ fingerprint: name }) => !seen.has(name) && seen.add(name))
    .slice(0, limits.lessonsMax);
}

/** From a tool that failed and then worked with other arguments, or that failed twice in the same way. */
function lessonsFromToolCall(
  step: CompletedToolCall,
  steps: readonly CompletedToolCall[],
  { tools = [] }: ChatRequest,
): readonly Lesson[] {
  const tool = tools.find(({ name }) => name === step.tool);
  if (tool === undefined || !/^[\w.:/-]{1,128}$/.test(tool.name)) return [];
  const last = steps.slice(0, steps.indexOf(step)).findLast((one) => one.tool === step.tool);
  if (last?.failed !== true) return [];
  const failure = classifyFailure(last.output);
  const trigger = { text: '', tools: [tool.name], models: [] };
  if (!step.failed) {
    const changes = describeChanges(last.input, step.input, tool);
    if (changes.length === 0) return [];
    const advice = `When you call ${tool.name}, ${changes.join(', ')}: otherwise it failed (${failure}), and this worked.`;
    return [{ trigger, advice, fingerprint: patternFingerprint('fix', [tool.name, failure, ...changes]) }];
  }
  const shapes = describeArguments(step.input, tool);
  const isSame =
    describeArguments(last.input, tool).join() === shapes.join() && classifyFailure(step.output) === failure;
  if (!isSame || shapes.length === 0) return [];
  const advice = `Calling ${tool.name} with ${shapes.join(', ')} has failed again and again (${failure}): try another way at once.`;
  return [{ trigger, advice, fingerprint: patternFingerprint('stuck', [tool.name, failure, ...shapes]) }];
}

const correctionCue =
  /^(?:no|nope|wrong|incorrect|not (?:that|like|what)|that(?:'s| is) (?:wrong|not)|actually|don['’]?t|do not|never|always|stop|instead|please (?:don['’]?t|do not|never|always|use)|i (?:said|told|asked|meant)|you (?:should|must|forgot)|use .{1,60} (?:instead|not)|nein|falsch|nicht|immer|bitte (?:nicht|immer)|non|toujours|jamais|siempre|nunca)\b/i;

/** From a correction by the user, quoted verbatim. */
function lessonsFromCorrection({ messages }: ChatRequest, newest: number): readonly Lesson[] {
  if (newest === 0) return [];
  const words = messages
    .slice(newest)
    .map(userOnlyTextOf)
    .filter((text) => text !== '');
  const correction = toPlainLine(words.join(' '), limits.correctionCharactersMax + 1);
  if (!isCorrection(correction) || !isFreeOfSecrets(correction)) return [];
  const earlier =
    messages
      .slice(0, newest)
      .map(userOnlyTextOf)
      .findLast((text) => text !== '') ?? '';
  const task = toPlainLine(earlier, limits.correctionCharactersMax);
  const text = task !== '' && isFreeOfSecrets(task) ? task : correction;
  const advice = `The user said earlier, in such a case: "${correction.replaceAll('"', "'")}"`;
  const trigger = { text, tools: [], models: [] };
  return [{ trigger, advice, fingerprint: patternFingerprint('said', significantWords(correction)) }];
}

/** Whether a short text begins like a correction and says what to do. */
export function isCorrection(text: string): boolean {
  return (
    text.length <= limits.correctionCharactersMax &&
    correctionCue.test(text) &&
    contentWords(text).length >= 3
  );
}
