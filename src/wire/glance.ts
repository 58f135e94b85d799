import { depthAt, memberAt } from '../kernel/json-scan.ts';

/**
 * Looks a field up in JSON whose beginning may be gone. Exact on valid JSON: inside a string a quote is escaped, so a
 * quoted name is a whole string unless its first quote is, and the brackets from there to the end tell how deep it
 * stands. Undefined where it isn't there or there is any doubt. `json` has a character for each byte, which leaves its structure as it is.
 */
export function glance(json: string, name: string, depth: number): unknown {
  const member = memberAt(json, lastNamed(json, `"${name}"`));
  if (member === undefined || depthAt(json, member.valueEnd) !== depth) return undefined;
  // Numbers and names of tokens and reasons are plain; what isn't can't be told.
  const value = json.slice(member.valueStart, member.valueEnd);
  return plain.test(value) ? parsed(value) : undefined;
}

/** At the very beginning nobody knows what stood before it. */
function lastNamed(json: string, quoted: string): number {
  let at = json.lastIndexOf(quoted);
  while (at > 0 && json[at - 1] === '\\') at = json.lastIndexOf(quoted, at - 1);
  return at === 0 ? -1 : at;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const plain = /^[\x20-\x7e\s]*$/;
