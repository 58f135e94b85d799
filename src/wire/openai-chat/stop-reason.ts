/** A reply with tool calls stops for tools, whatever finish reason the provider reports. */
export function stopReasonOf(
  finish: string,
  content: { readonly tools: boolean; readonly refused: boolean },
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
      if (content.refused) return 'refusal';
      return content.tools ? 'tool_use' : 'end_turn';
  }
}

/** A refusal with text is a normal reply; only one without text is reported as a content filter. */
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
