import type { JsonObject } from '../../../src/lib/json.ts';
import { objectOf } from '../../../src/wire/json-values.ts';
import { framesIn, type Outcome } from './facts.ts';
import type { Recording } from './recordings.ts';

/** What a recording says, read without the codecs that are on trial. */
export function outcomeOf({ format, kind, status, bytes }: Recording): Outcome {
  if (kind === 'sse') return format.streamed(framesIn(bytes));
  const body = kind === 'json' ? objectOf(JSON.parse(bytes.toString('utf8'))) : undefined;
  if (status >= 300) return { error: messageIn(body) };
  return body === undefined || !isAnswer(body) ? { error: 'contains no message' } : format.whole(body);
}

function messageIn(body: JsonObject | undefined): string {
  return String(objectOf(body?.error)?.message ?? body?.message ?? body?.detail ?? '');
}

function isAnswer(body: JsonObject): boolean {
  const content = [body.content, body.choices, body.output, body.candidates];
  return body.error != null || content.some(Array.isArray) || objectOf(body.promptFeedback) !== undefined;
}
