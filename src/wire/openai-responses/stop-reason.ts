import type { JsonObject } from '../../lib/json.ts';
import { objectOf } from '../json-values.ts';

export function stopReasonOf(
  response: JsonObject,
  content: { readonly tools: boolean; readonly refused: boolean },
): string | null {
  if (response.status === 'queued' || response.status === 'in_progress') return null;
  if (response.status === 'incomplete') {
    const reason = objectOf(response.incomplete_details)?.reason;
    return reason === 'content_filter' ? 'refusal' : 'max_tokens';
  }
  if (content.refused) return 'refusal';
  return content.tools ? 'tool_use' : 'end_turn';
}

/** The status fields of a reply; a refusal with text is complete. */
export function statusFieldsOf(
  stop: string | null | undefined,
  inWords: boolean,
): JsonObject & { readonly status: string } {
  switch (stop) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    case 'refusal':
      if (inWords) break;
      return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
  }
  return { status: 'completed', incomplete_details: null };
}
