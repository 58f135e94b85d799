import type { StopDetails, StreamError } from '../../kernel/message.ts';

export interface StopFields {
  readonly stop_reason: string;
  readonly stop_sequence: null;
  readonly stop_details?: StopDetails;
}

interface StopContext {
  readonly tools: boolean;
  readonly message: string | undefined;
}

/** https://ai.google.dev/api/generate-content#FinishReason; calls are told by being there. */
export function stopFieldsOf(finish: string, { tools, message }: StopContext): StopFields {
  if (finish === 'MAX_TOKENS') return { stop_reason: 'max_tokens', stop_sequence: null };
  if (refusalReasons.has(finish)) return refusalStopFields(finish, message);
  return { stop_reason: tools ? 'tool_use' : 'end_turn', stop_sequence: null };
}

/** An answer that was held back, or a question that was not let through. */
export function refusalStopFields(category: string, message: string | undefined): StopFields {
  const explanation = message ?? `Google's safety filters blocked this response: ${category}`;
  return {
    stop_reason: 'refusal',
    stop_sequence: null,
    stop_details: { type: 'refusal', category, explanation },
  };
}

/** What went wrong in an answer without any content; undefined where having said nothing is an answer. */
export function failureOf(finish: string, message: string | undefined): StreamError | undefined {
  if (finish === 'STOP' || finish === 'MAX_TOKENS' || refusalReasons.has(finish)) return undefined;
  return { type: finish, message: message ?? `the model stopped without output: ${finish}`, status: 502 };
}

const refusalReasons: ReadonlySet<string> = new Set([
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'MODEL_ARMOR',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
  'IMAGE_OTHER',
]);

/** How an answer ended, in this format's words. */
export function finishReasonOf(stop: string | null | undefined, category: string | null | undefined): string {
  switch (stop) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'MAX_TOKENS';
    case 'refusal':
      return category != null && refusalReasons.has(category) ? category : 'SAFETY';
    default:
      return 'STOP';
  }
}
