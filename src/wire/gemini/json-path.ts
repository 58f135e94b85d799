/** An object key or a list index. */
export type PathSegment = string | number;

/** The segments of a path to one value (RFC 9535): `$.rivers[0]['mean level']`; undefined if invalid. */
export function parseJsonPath(path: string): readonly PathSegment[] | undefined {
  if (!path.startsWith('$')) return undefined;
  const steps: PathSegment[] = [];
  let end = 1;
  for (const [all, name, index, single, double] of path.slice(1).matchAll(segmentPattern)) {
    const quoted = single === undefined ? double : single.replaceAll("\\'", "'").replaceAll('"', '\\"');
    const taken = name ?? (index === undefined ? tryUnescape(quoted ?? '') : Number(index));
    if (taken === undefined) return undefined;
    steps.push(taken);
    end += all.length;
  }
  return end === path.length && steps.length > 0 ? steps : undefined;
}

const segmentPattern = /\.([^.[\]]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/gy;

function tryUnescape(quoted: string): string | undefined {
  try {
    return String(JSON.parse(`"${quoted}"`));
  } catch {
    return undefined;
  }
}
