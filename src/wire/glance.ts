/**
 * Looks a field up in JSON whose beginning may be gone. Exact on valid JSON: inside a string a quote is escaped, so a
 * quoted name is a whole string, and the brackets from there to the end tell how deep it stands. Undefined where it
 * isn't there or there is any doubt. `json` has a character for each byte, which leaves its structure as it is.
 */
export function glance(json: string, name: string, depth: number): unknown {
  const quoted = `"${name}"`;
  const at = json.lastIndexOf(quoted);
  if (at < 0) return undefined;
  const colon = skipSpace(json, at + quoted.length);
  if (json.charCodeAt(colon) !== 58) return undefined;
  const start = skipSpace(json, colon + 1);
  const end = valueEnd(json, start);
  if (end === undefined || closings(json, end) !== depth) return undefined;
  // Numbers and names of tokens and reasons are plain; what isn't can't be told.
  const value = json.slice(start, end);
  return plain.test(value) ? parsed(value) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const plain = /^[\x20-\x7e\s]*$/;

/** Where a value ends; undefined for one that doesn't. */
function valueEnd(text: string, start: number): number | undefined {
  const first = text.charCodeAt(start);
  if (first === 34) return stringEnd(text, start);
  if (first !== 123 && first !== 91) {
    let at = start;
    while (at < text.length && !/[,}\]\s]/.test(text.charAt(at))) at++;
    return at;
  }
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 34: {
        const end = stringEnd(text, at);
        if (end === undefined) return undefined;
        at = end - 1;
        break;
      }
      case 123:
      case 91:
        depth++;
        break;
      case 125:
      case 93:
        if (--depth === 0) return at + 1;
        break;
    }
  }
  return undefined;
}

/** How many more brackets close than open from here to the end: the depth at which this stands. */
function closings(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 34: {
        const end = stringEnd(text, at);
        if (end === undefined) return undefined;
        at = end - 1;
        break;
      }
      case 123:
      case 91:
        depth--;
        break;
      case 125:
      case 93:
        depth++;
        break;
    }
  }
  return depth;
}

function stringEnd(text: string, open: number): number | undefined {
  for (let at = text.indexOf('"', open + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === 92) before--;
    if ((at - before) % 2 === 1) return at + 1;
  }
  return undefined;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 32) at++;
  return at;
}
