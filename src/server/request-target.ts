/** Where a request wants to go, in the one way that guards and routes look at it. */
export interface RequestTarget {
  readonly path: string;
  /** With its question mark, or empty. */
  readonly query: string;
  /** Whom an absolute target (`GET http://host/path`) is for; undefined where it doesn't say so. */
  readonly authority: string | undefined;
}

export function parseRequestTarget(url: string): RequestTarget {
  if (url.startsWith('/')) return splitTarget(url, undefined);
  const [, authority, rest = url] = absoluteForm.exec(url) ?? [];
  return splitTarget(rest, authority);
}

function splitTarget(rest: string, authority: string | undefined): RequestTarget {
  const mark = rest.indexOf('?');
  const path = mark < 0 ? rest : rest.slice(0, mark);
  return { path: normalizePath(path) || '/', query: mark < 0 ? '' : rest.slice(mark), authority };
}

const absoluteForm = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)(.*)$/is;
const escapedCharacter = /%[2-7][\da-f]/gi;
const unreserved = /[\w.~-]/;

/** An escape that stands for a letter, a digit or `-._~` is that character (RFC 3986, 6.2.2.2); others mean something else. */
function normalizePath(path: string): string {
  if (!path.includes('%')) return path;
  return path.replace(escapedCharacter, (written) => {
    const character = String.fromCharCode(Number.parseInt(written.slice(1), 16));
    return unreserved.test(character) ? character : written;
  });
}
