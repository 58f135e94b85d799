/** A request target, normalized so that guards and routes agree on it. */
export interface RequestTarget {
  readonly path: string;
  /** Empty, or the query string with its question mark. */
  readonly query: string;
  /** The host of an absolute target (`GET http://host/path`); otherwise undefined. */
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

/** Decodes escapes of unreserved characters only (RFC 3986, 6.2.2.2). */
function normalizePath(path: string): string {
  if (!path.includes('%')) return path;
  return path.replace(escapedCharacter, (written) => {
    const character = String.fromCharCode(Number.parseInt(written.slice(1), 16));
    return unreserved.test(character) ? character : written;
  });
}
