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
