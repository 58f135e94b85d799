import { unfold } from '../../kernel/answer.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Answer, Block, ReplyEvent, StreamError } from '../../kernel/message.ts';
import { numberOf, objectOf, objectsOf, stringOf } from '../read.ts';
import { toolInputOf } from '../tool-input.ts';
import { thinkingOf, thinkingPartText } from './reasoning.ts';
import { stopReasonOf } from './stop-reason.ts';
import { usageOf } from './usage.ts';

/** The events of an unstreamed answer, which may be an error. */
export function* eventsOf(body: JsonObject): Generator<ReplyEvent> {
  const error = errorOf(body);
  if (error !== undefined) yield { type: 'error', error };
  else if (Array.isArray(body.choices)) yield* unfold(answerOf(body));
}

export function errorOf(body: JsonObject): StreamError | undefined {
  const { error } = body;
  if (error === null || error === undefined) return undefined;
  const told = objectOf(error) ?? {};
  const code = stringOf(told.code) ?? numberOf(told.code)?.toString();
  const message =
    stringOf(told.message) ?? stringOf(error) ?? 'the provider reported an error without a message';
  return { ...told, type: stringOf(told.type) ?? code ?? 'server_error', message };
}

/** The first choice: more than one can't be asked for across formats. */
function answerOf(body: JsonObject): Answer {
  const choices = objectsOf(body.choices);
  const choice = choices.find((candidate) => candidate.index === 0) ?? choices[0] ?? {};
  const message = objectOf(choice.message) ?? {};
  const refusal = stringOf(message.refusal);
  const content = [...thinkingOf(message), ...textsOf(message.content), ...callsOf(message, body)];
  const refused = refusal !== undefined && refusal !== '';
  if (refused) content.push({ type: 'text', text: refusal });
  const tools = content.some((block) => block.type === 'tool_use');
  return {
    id: stringOf(body.id) ?? '',
    type: 'message',
    role: 'assistant',
    model: stringOf(body.model) ?? '',
    content,
    stop_reason: stopReasonOf(stringOf(choice.finish_reason) ?? 'stop', { tools, refused }),
    stop_sequence: null,
    ...(refused && { stop_details: { type: 'refusal', category: null, explanation: refusal } }),
    usage: usageOf(objectOf(body.usage) ?? {}),
  };
}

function textsOf(content: unknown): readonly Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return objectsOf(content).flatMap((part): readonly Block[] => {
    if (part.type === 'thinking') return [{ type: 'thinking', thinking: thinkingPartText(part) }];
    const text = stringOf(part.text);
    return text === undefined || text === '' ? [] : [{ type: 'text', text }];
  });
}

function callsOf(message: JsonObject, body: JsonObject): readonly Block[] {
  return objectsOf(message.tool_calls).flatMap((call, at): readonly Block[] => {
    const called = objectOf(call.function);
    const name = stringOf(called?.name);
    if (name === undefined) return [];
    return [
      {
        type: 'tool_use',
        id: stringOf(call.id) || `call_${stringOf(body.id) ?? ''}_${at}`,
        name,
        input: toolInputOf(called?.arguments),
      },
    ];
  });
}
