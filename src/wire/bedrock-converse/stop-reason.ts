import type { StreamError } from '../../kernel/message.ts';

/** Most are Anthropic's own. */
export function stopReasonOf(told: string | undefined, hasCalls: boolean): string {
  switch (told) {
    case 'max_tokens':
    case 'stop_sequence':
    case 'tool_use':
    case 'model_context_window_exceeded':
      return told;
    case 'guardrail_intervened':
    case 'content_filtered':
      return 'refusal';
    default:
      return hasCalls ? 'tool_use' : 'end_turn';
  }
}

/** What went wrong in an answer without any content; undefined where having said nothing is an answer. */
export function failureOf(told: string | undefined): StreamError | undefined {
  if (told !== 'malformed_model_output' && told !== 'malformed_tool_use') return undefined;
  return { type: told, message: `the model stopped without output: ${told}`, status: 502 };
}
