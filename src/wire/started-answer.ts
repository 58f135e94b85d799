import type { Answer } from '../kernel/message.ts';

/** An answer before its first content. */
export function startedAnswer(id: string, model: string): Answer {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {},
  };
}
