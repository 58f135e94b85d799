/** A name in an object, or a place in a list. */
export type Step = string | number;

/** The steps of a path to one value (RFC 9535): `$.rivers[0]['mean level']`; undefined where it is none. */
export function stepsOf(path: string): readonly Step[] | undefined {
  if (!path.startsWith('$')) return undefined;
  const steps: Step[] = [];
  let end = 1;
  for (const [all, name, place, single, double] of path.slice(1).matchAll(step)) {
    const quoted = single === undefined ? double : single.replaceAll("\\'", "'").replaceAll('"', '\\"');
    const taken = name ?? (place === undefined ? textIn(quoted ?? '') : Number(place));
    if (taken === undefined) return undefined;
    steps.push(taken);
    end += all.length;
  }
  return end === path.length && steps.length > 0 ? steps : undefined;
}

const step = /\.([^.[\]]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/gy;

function textIn(quoted: string): string | undefined {
  try {
    return String(JSON.parse(`"${quoted}"`));
  } catch {
    return undefined;
  }
}
