/** A call that names tools is a call for tools, whatever the provider says the reason for stopping was. */
export function stopReasonOf(
  finish: string,
  seen: { readonly tools: boolean; readonly refused: boolean },
): string {
  switch (finish) {
    case 'length':
    case 'model_length':
      return 'max_tokens';
    case 'content_filter':
      return 'refusal';
    case 'tool_calls':
    case 'function_call':
      return 'tool_use';
    default:
      if (seen.refused) return 'refusal';
      return seen.tools ? 'tool_use' : 'end_turn';
  }
}

/** A refusal in the model's own words is an answer like any other; only one without them is a filter's doing. */
export function finishReasonOf(stop: string | null | undefined, inWords: boolean): string {
  switch (stop) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'tool_use':
      return 'tool_calls';
    case 'refusal':
      return inWords ? 'stop' : 'content_filter';
    default:
      return 'stop';
  }
}
