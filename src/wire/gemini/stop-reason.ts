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

/** Tool calls have no finish reason of their own: https://ai.google.dev/api/generate-content#FinishReason. */
export function stopFieldsOf(finish: string, { tools, message }: StopContext): StopFields {
  if (finish === 'MAX_TOKENS') return { stop_reason: 'max_tokens', stop_sequence: null };
  if (refusalReasons.has(finish)) return refusalStopFields(finish, message);
  return { stop_reason: tools ? 'tool_use' : 'end_turn', stop_sequence: null };
}

/** For a blocked response or prompt. */
export function refusalStopFields(category: string, message: string | undefined): StopFields {
  const explanation = message ?? `Google's safety filters blocked this response: ${category}`;
  return {
    stop_reason: 'refusal',
    stop_sequence: null,
    stop_details: { type: 'refusal', category, explanation },
  };
}

/** The error of a reply without content; undefined if an empty reply is valid. */
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

/** The stop reason in this format. */
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
