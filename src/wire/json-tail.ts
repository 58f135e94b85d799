import { depthAt, memberAt } from '../kernel/json-scan.ts';

/**
 * Looks a field up in JSON whose beginning may be gone. Exact on valid JSON: inside a string a quote is escaped, so a
 * quoted name is a whole string unless its first quote is, and the brackets from there to the end tell how deep it
 * stands. Undefined where it isn't there or there is any doubt. `json` has a character for each byte, which leaves its structure as it is.
 */
export function readFieldFromTail(json: string, name: string, depth: number): unknown {
  const jsonMember = memberAt(json, lastKeyIndex(json, `"${name}"`));
  if (jsonMember === undefined || depthAt(json, jsonMember.valueEnd) !== depth) return undefined;
  // Numbers and names of tokens and reasons are plain; what isn't can't be told.
  const value = json.slice(jsonMember.valueStart, jsonMember.valueEnd);
  return printableAscii.test(value) ? tryParse(value) : undefined;
}

/** At the very beginning nobody knows what stood before it. */
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
