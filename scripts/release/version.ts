const form = /^(\d+)\.(\d+)\.(\d+)$/;

/** `patch`, `minor` and `major` count on from the version before; anything else has to be a version after it. */
export function nextVersion(before: string, asked: string): string {
  const [major, minor, patch] = partsOf(before);
  if (asked === 'major') return `${major + 1}.0.0`;
  if (asked === 'minor') return `${major}.${minor + 1}.0`;
  if (asked === 'patch') return `${major}.${minor}.${patch + 1}`;
  if (isBefore(partsOf(asked), partsOf(before))) throw new Error(`${asked} comes before ${before}`);
  return asked;
}

type Parts = readonly [number, number, number];

function partsOf(version: string): Parts {
  const [, major, minor, patch] = form.exec(version) ?? [];
  if (major === undefined)
    throw new Error(`"${version}" is not a version such as 1.2.3, nor patch, minor or major`);
  return [Number(major), Number(minor), Number(patch)];
}

function isBefore(one: Parts, other: Parts): boolean {
  const at = one.findIndex((part, index) => part !== other[index]);
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0);
}
