import type { ErrorEvent, StreamError } from './message.ts';

/** Removes these credentials from a text, including JSON-escaped spellings: `sk\u002dant`. */
export function redactText(text: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (rest, secret) => (secret === '' ? rest : rest.replace(escapedFormsPattern(secret), '[secret]')),
    text,
  );
}

/** Returns the same bytes if they contain none. */
export function redactBytes(bytes: Uint8Array, secrets: readonly string[]): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const rest = redactText(text, secrets);
  return rest === text ? bytes : Buffer.from(rest);
}

/** Redacts an error of a stream, with all fields that its provider added. */
export function redactErrorEvent(event: ErrorEvent, secrets: readonly string[]): ErrorEvent {
  const text = JSON.stringify(event.error);
  const rest = redactText(text, secrets);
  if (rest === text) return event;
  const error: StreamError = JSON.parse(rest);
  return { ...event, error };
}

/** Matches each character in a few spellings, without backtracking. */
function escapedFormsPattern(secret: string): RegExp {
  const forms = secret.split('').map((unit) => {
    const hex = unit.charCodeAt(0).toString(16).padStart(4, '0');
    const inHex = [...hex].map((digit) => `[${digit}${digit.toUpperCase()}]`).join('');
    const ways = [unit, JSON.stringify(unit).slice(1, -1), ...(unit === '/' ? ['\\/'] : [])];
    return `(?:${[...new Set(ways)].map((way) => RegExp.escape(way)).join('|')}|\\\\u${inHex})`;
  });
  return new RegExp(forms.join(''), 'g');
}
