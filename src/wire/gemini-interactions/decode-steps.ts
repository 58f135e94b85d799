import type { Block, Message } from '../../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { ExtensionFields } from '../extension-fields.ts';
import { foreignBlock } from '../foreign.ts';
import { groupTurns, messageOf, type Turn } from '../gemini/turns.ts';
import { objectsOf, stringOf } from '../json-values.ts';
import { toolInputOf } from '../tool-input.ts';
import { decodeContent, decodeResult, isContent } from './decode-content.ts';
import { decodeThought } from './thoughts.ts';

/** The input of a request as steps: it may also be a text, or content without a step around it. */
export function inputStepsOf({ input }: JsonObject): readonly JsonObject[] {
  if (typeof input === 'string') return [userStep([{ type: 'text', text: input }])];
  const items = isJsonObject(input) ? [input] : objectsOf(input);
  if (items.length > 0 && items.every(isContent)) return [userStep(items)];
  return items.map((item) => (isContent(item) ? userStep([item]) : item));
}

function userStep(content: readonly JsonObject[]): JsonObject {
  return { type: 'user_input', content };
}

export interface DecodeContext {
  readonly extensionFields: ExtensionFields;
  /** The requested model, which the signatures in the conversation belong to. */
  readonly model: string;
}

/** Groups steps into turns: thoughts, outputs and calls are one turn, results and input the next. */
export function decodeSteps(steps: readonly JsonObject[], decodeContext: DecodeContext): readonly Message[] {
  const unanswered = unansweredCalls(steps);
  return groupTurns(steps, roleOf).map((turn) =>
    messageOf(
      turn,
      turn.from.flatMap((step) =>
        unanswered.has(step) ? [foreignBlock('gemini-interactions', step)] : decodeStep(step, decodeContext),
      ),
    ),
  );
}

/** Calls without results, which other formats can't express. Those at the end may get theirs in the next request. */
function unansweredCalls(steps: readonly JsonObject[]): ReadonlySet<JsonObject> {
  const end = steps.findLastIndex((step) => roleOf(step) === 'user');
  const answered = new Set(
    steps.flatMap(({ type, call_id }) => (type === 'function_result' ? [call_id] : [])),
  );
  return new Set(
    steps.slice(0, end + 1).filter(({ type, id }) => type === 'function_call' && !answered.has(id)),
  );
}

/** Functions run at the client, all other tools at the provider. */
function roleOf({ type }: JsonObject): Turn['role'] {
  const isMade =
    type === 'model_output' ||
    type === 'thought' ||
    (typeof type === 'string' && type !== 'function_result' && /_(call|result)$/.test(type));
  return isMade ? 'assistant' : 'user';
}

function decodeStep(step: JsonObject, { extensionFields, model }: DecodeContext): readonly Block[] {
  switch (step.type) {
    case 'user_input':
      return decodeContent(step.content, extensionFields, 'client');
    case 'model_output':
      return decodeContent(step.content, extensionFields, 'model');
    case 'thought':
      return decodeThought(step, model);
    case 'function_call':
      return [{ type: 'tool_use', ...callIdentityOf(step), input: argumentsIn(step, extensionFields) }];
    case 'function_result':
      return [decodeResult(step, extensionFields)];
  }
  if (roleOf(step) === 'user') extensionFields.essential[`input[].${stringOf(step.type) ?? 'type'}`] = true;
  return [foreignBlock('gemini-interactions', step)];
}

export function callIdentityOf({ id, name }: JsonObject): { readonly id: string; readonly name: string } {
  return { id: stringOf(id) ?? '', name: stringOf(name) ?? '' };
}

function argumentsIn({ arguments: args }: JsonObject, extensionFields: ExtensionFields): unknown {
  return typeof args === 'string' ? toolInputOf(args, extensionFields) : (args ?? {});
}
