/** A path of this gateway to go on to: anything that a browser could take for another address becomes `/`. */
export function ownPath(wanted: string | undefined): string {
  if (wanted === undefined || wanted.length > 500 || !/^\/(?![/\\])[\x21-\x7e]*$/.test(wanted)) return '/';
  const base = 'https://own.invalid';
  const url = URL.parse(wanted, base);
  if (url === null || url.origin !== base || wanted.includes('\\')) return '/';
  const path = `${url.pathname}${url.search}${url.hash}`;
  // Dots may have moved a pair of slashes to the front.
  return path.startsWith('//') ? '/' : path;
}
