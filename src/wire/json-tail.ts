import { depthAt, memberAt } from '../lib/json-scan.ts';

/**
 * Reads a field from JSON whose beginning may be missing. Exact on valid JSON: quotes inside strings are escaped, so a
 * quoted name is a whole string unless its first quote is escaped, and the brackets after it determine its depth.
 * Undefined if absent or ambiguous. `json` has one character per byte, which preserves its structure.
 */
export function readFieldFromTail(json: string, name: string, depth: number): unknown {
  const jsonMember = memberAt(json, lastKeyIndex(json, `"${name}"`));
  if (jsonMember === undefined || depthAt(json, jsonMember.valueEnd) !== depth) return undefined;
  // Counts and reasons are plain ASCII; other values count as ambiguous.
  const value = json.slice(jsonMember.valueStart, jsonMember.valueEnd);
  return printableAscii.test(value) ? tryParse(value) : undefined;
}

/** Ignores a match at the very beginning, since its context is unknown. */
function lastKeyIndex(json: string, quoted: string): number {
  let at = json.lastIndexOf(quoted);
  while (at > 0 && json[at - 1] === '\\') at = json.lastIndexOf(quoted, at - 1);
  return at === 0 ? -1 : at;
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const printableAscii = /^[\x20-\x7e\s]*$/;
