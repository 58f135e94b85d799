import {
  type ChatRequest,
  contentWords,
  fingerprint,
  isClean,
  type PatternTrigger,
  plain,
  tellingWords,
} from '../../module-api.ts';
import { limits } from './limits.ts';
import { spokenWords } from './own-words.ts';
import { changesBetween, shapesIn } from './shapes.ts';
import { failureOf, type ToolStep, toolStepsIn } from './tool-steps.ts';

/** What the newest turn of a conversation teaches. */
export interface Lesson {
  readonly trigger: PatternTrigger;
  readonly advice: string;
  readonly fingerprint: string;
}

export function lessonsIn(request: ChatRequest): readonly Lesson[] {
  const steps = toolStepsIn(request.messages);
  const newest = request.messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  const fresh = steps.filter(({ at }) => at >= newest);
  const lessons = [
    ...fresh.flatMap((step) => lessonOfStep(step, steps, request)),
    ...correctionIn(request, newest),
  ];
  const seen = new Set<string>();
  return lessons
    .filter(({ fingerprint: name }) => !seen.has(name) && seen.add(name))
    .slice(0, limits.lessonsMax);
}

/** A tool that failed, and worked when it was called otherwise; or one that failed twice in the same way. */
function lessonOfStep(
  step: ToolStep,
  steps: readonly ToolStep[],
  { tools = [] }: ChatRequest,
): readonly Lesson[] {
  const tool = tools.find(({ name }) => name === step.tool);
  if (tool === undefined || !/^[\w.:/-]{1,128}$/.test(tool.name)) return [];
  const last = steps.slice(0, steps.indexOf(step)).findLast((one) => one.tool === step.tool);
  if (last?.failed !== true) return [];
  const failure = failureOf(last.output);
  const trigger = { text: '', tools: [tool.name], models: [] };
  if (!step.failed) {
    const changes = changesBetween(last.input, step.input, tool);
    if (changes.length === 0) return [];
    const advice = `When you call ${tool.name}, ${changes.join(', ')}: otherwise it failed (${failure}), and this worked.`;
    return [{ trigger, advice, fingerprint: fingerprint('fix', [tool.name, failure, ...changes]) }];
  }
  const shapes = shapesIn(step.input, tool);
  const isSame = shapesIn(last.input, tool).join() === shapes.join() && failureOf(step.output) === failure;
  if (!isSame || shapes.length === 0) return [];
  const advice = `Calling ${tool.name} with ${shapes.join(', ')} has failed again and again (${failure}): try another way at once.`;
  return [{ trigger, advice, fingerprint: fingerprint('stuck', [tool.name, failure, ...shapes]) }];
}

const cue =
  /^(?:no|nope|wrong|incorrect|not (?:that|like|what)|that(?:'s| is) (?:wrong|not)|actually|don['’]?t|do not|never|always|stop|instead|please (?:don['’]?t|do not|never|always|use)|i (?:said|told|asked|meant)|you (?:should|must|forgot)|use .{1,60} (?:instead|not)|nein|falsch|nicht|immer|bitte (?:nicht|immer)|non|toujours|jamais|siempre|nunca)\b/i;

/** A person who corrects the model, in the person's own words. */
function correctionIn({ messages }: ChatRequest, newest: number): readonly Lesson[] {
  if (newest === 0) return [];
  const words = messages
    .slice(newest)
    .map(spokenWords)
    .filter((text) => text !== '');
  const said = plain(words.join(' '), limits.correctionCharactersMax + 1);
  if (!isCorrection(said) || !isClean(said)) return [];
  const earlier =
    messages
      .slice(0, newest)
      .map(spokenWords)
      .findLast((text) => text !== '') ?? '';
  const asked = plain(earlier, limits.correctionCharactersMax);
  const text = asked !== '' && isClean(asked) ? asked : said;
  const advice = `The user said earlier, in such a case: "${said.replaceAll('"', "'")}"`;
  const trigger = { text, tools: [], models: [] };
  return [{ trigger, advice, fingerprint: fingerprint('said', tellingWords(said)) }];
}

/** A short text that begins like a correction and says what to do. */
export function isCorrection(said: string): boolean {
  return said.length <= limits.correctionCharactersMax && cue.test(said) && contentWords(said).length >= 3;
}
