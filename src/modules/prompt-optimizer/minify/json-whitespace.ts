/** The text of a JSON object or list without the white space between its values; undefined if it is anything else. */
export function compactJson(text: string): string | undefined {
  const first = text.trimStart()[0];
  if (first !== '{' && first !== '[') return undefined;
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  return withoutWhitespace(text);
}

/** Copies everything else as it is: numbers, escapes, the order of keys. The text must be valid JSON. */
function withoutWhitespace(json: string): string {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfString(json, at);
    else if (code <= blank) {
      if (at > start) parts.push(json.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(json.slice(start));
  return parts.join('');
}

function endOfString(json: string, start: number): number {
  let at = json.indexOf('"', start + 1);
  while (at > 0 && isEscaped(json, at)) at = json.indexOf('"', at + 1);
  return at < 0 ? json.length : at;
}

/** Whether an odd number of backslashes precedes. */
function isEscaped(json: string, at: number): boolean {
  let first = at;
  while (json.charCodeAt(first - 1) === backslash) first--;
  return (at - first) % 2 === 1;
}

const quote = 34;
const blank = 32;
const backslash = 92;
