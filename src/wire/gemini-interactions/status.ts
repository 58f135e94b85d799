import type { StopDetails, StreamError } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { objectOf, objectsOf, stringOf } from '../json-values.ts';
import { errorOf } from './errors.ts';

interface StopFields {
  readonly stop_reason: string | null;
  readonly stop_sequence: null;
  readonly stop_details?: StopDetails;
}

/** Why an interaction stopped. */
export function stopFieldsOf(interaction: JsonObject, hasToolCalls: boolean): StopFields {
  const refusal = refusalIn(interaction);
  if (refusal === undefined)
    return { stop_reason: stopReasonOf(interaction, hasToolCalls), stop_sequence: null };
  return { stop_reason: 'refusal', stop_sequence: null, stop_details: refusal };
}

/** Null while it runs in the background. */
function stopReasonOf({ status }: JsonObject, hasToolCalls: boolean): string | null {
  switch (status) {
    case 'queued':
    case 'in_progress':
      return null;
    case 'incomplete':
    case 'budget_exceeded':
    case 'requires_continuation':
      return 'max_tokens';
    default:
      return hasToolCalls ? 'tool_use' : 'end_turn';
  }
}

/** A refusal has no status of its own: it is among the errors of an interaction that is incomplete. */
function refusalIn({ status, errors }: JsonObject): StopDetails | undefined {
  if (status !== 'incomplete') return undefined;
  const error = objectsOf(errors).find(({ code }) => /block|safety|prohibit|recitation/.test(String(code)));
  if (error === undefined) return undefined;
  return {
    type: 'refusal',
    category: stringOf(error.code) ?? null,
    explanation: stringOf(error.message) ?? null,
  };
}

/** The error of an interaction that failed: its own, or that of its output. */
export function failureOf(interaction: JsonObject): StreamError | undefined {
  if (interaction.error != null) return errorOf(interaction.error);
  if (interaction.status !== 'failed' && interaction.status !== 'cancelled') return undefined;
  const output = objectsOf(interaction.steps).map(({ error }) => objectOf(error));
  const error = objectsOf(interaction.errors)[0] ?? output.find((one) => one !== undefined);
  if (error !== undefined) return errorOf(error);
  return { type: 'api_error', message: `the interaction ended as ${interaction.status}`, status: 502 };
}

/** The status of an answer. */
export function statusFieldsOf(
  stop: string | null | undefined,
  details: StopDetails | null | undefined,
): JsonObject & { readonly status: string } {
  switch (stop) {
    case 'tool_use':
      return { status: 'requires_action' };
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return { status: 'incomplete' };
    case 'refusal': {
      const message = stringOf(details?.explanation) ?? 'the model refused to answer';
      return { status: 'incomplete', errors: [{ code: 'content_blocked', message }] };
    }
    default:
      return { status: 'completed' };
  }
}
