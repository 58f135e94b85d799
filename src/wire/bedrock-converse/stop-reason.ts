import type { StreamError } from '../../kernel/message.ts';

/** Most values are the same as Anthropic's. */
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

/** The error of a reply without content; undefined if an empty reply is valid. */
export function failureOf(told: string | undefined): StreamError | undefined {
  if (told !== 'malformed_model_output' && told !== 'malformed_tool_use') return undefined;
  return { type: told, message: `the model stopped without output: ${told}`, status: 502 };
}
