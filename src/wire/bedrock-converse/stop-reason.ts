import type { StreamError } from '../../kernel/message.ts';

/** Most values are the same as Anthropic's. */
export function stopReasonOf(reason: string | undefined, hasCalls: boolean): string {
  switch (reason) {
    case 'max_tokens':
    case 'stop_sequence':
    case 'tool_use':
    case 'model_context_window_exceeded':
      return reason;
    case 'guardrail_intervened':
    case 'content_filtered':
      return 'refusal';
    default:
      return hasCalls ? 'tool_use' : 'end_turn';
  }
}

/** The error of a reply without content; undefined if an empty reply is valid. */
export function failureOf(reason: string | undefined): StreamError | undefined {
  if (reason !== 'malformed_model_output' && reason !== 'malformed_tool_use') return undefined;
  return { type: reason, message: `the model stopped without output: ${reason}`, status: 502 };
}
