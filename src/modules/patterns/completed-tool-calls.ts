import type { Block, Message } from '../../module-api.ts';
import { limits } from './limits.ts';

/** A call of a tool with its result. */
export interface CompletedToolCall {
  readonly tool: string;
  readonly input: unknown;
  readonly failed: boolean;
  /** The tool's output: evidence only, never repeated in advice. */
  readonly output: string;
  /** The index of the message with the result. */
  readonly at: number;
}

/** The completed tool calls, in the order of their results. */
export function completedToolCallsIn(messages: readonly Message[]): readonly CompletedToolCall[] {
  const uses = new Map<string, { readonly name: string; readonly input: unknown }>();
  const steps: CompletedToolCall[] = [];
  const start = Math.max(0, messages.length - limits.messagesScannedMax);
  for (const [at, { content }] of messages.entries()) {
    if (at < start || typeof content === 'string') continue;
    for (const block of content) {
      if (block.type === 'tool_use') uses.set(block.id, block);
      if (block.type !== 'tool_result') continue;
      const use = uses.get(block.tool_use_id);
      if (use === undefined) continue;
      const output = truncateMiddle(textOf(block.content));
      const failed = block.is_error ?? looksLikeFailure(output);
      steps.push({ tool: use.name, input: use.input, failed, output, at });
    }
  }
  return steps;
}

/** Errors are at the start of an output, summaries at its end. */
function truncateMiddle(output: string): string {
  const half = limits.outputCharactersMax / 2;
  return output.length <= 2 * half ? output : `${output.slice(0, half)}\n${output.slice(-half)}`;
}

/** Most formats don't mark failures. */
function looksLikeFailure(output: string): boolean {
  const start = output.slice(0, 300);
  return (
    /^\s*(?:\W{0,3})?(?:error|exception|traceback|fatal|failed|failure|cannot|could not|permission denied)\b/i.test(
      start,
    ) ||
    /^\s*\{\s*"(?:error|errors)"\s*:/.test(start) ||
    /^\s*\{[^{}]{0,100}"(?:ok|success)"\s*:\s*false/.test(start) ||
    /\bexit(?:ed with)? (?:code|status):? [1-9]/i.test(start)
  );
}

function textOf(content: string | readonly Block[] | undefined): string {
  if (content === undefined || typeof content === 'string') return content ?? '';
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** Classifies a failure in fixed words, so that no tool output gets into advice. */
export function classifyFailure(output: string): string {
  const text = output.slice(0, 2000);
  return failureKinds.find(([shape]) => shape.test(text))?.[1] ?? 'failed';
}

const failureKinds: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:enoent|no such file|not[ _]found|does ?n[o']t exist|unknown (?:file|path|resource)|404)\b/i,
    'not found',
  ],
  [/\b(?:eacces|eperm|permission denied|forbidden|not allowed|403)\b/i, 'not allowed'],
  [/\b(?:unauthori[sz]ed|authentication|401)\b/i, 'not authenticated'],
  [/\b(?:time[d]?[ -]?out|etimedout|deadline)\b/i, 'took too long'],
  [/\b(?:rate.?limit|too many requests|429)\b/i, 'too many calls'],
  [/\b(?:missing|required)\b/i, 'something required was missing'],
  [
    /\b(?:must be|expected|invalid|malformed|not a valid|unprocessable|400|422|typeerror|valueerror)\b/i,
    'invalid argument',
  ],
  [/\b(?:syntax|parse|unexpected token)\b/i, 'syntax error'],
  [/\b(?:already exists|conflict|409|eexist)\b/i, 'already exists'],
  [/\b(?:too (?:large|long|big|many)|exceed|413|out of memory)\b/i, 'too large'],
  [/\b(?:econnrefused|unreachable|network|50[0234])\b/i, 'not reachable'],
];
