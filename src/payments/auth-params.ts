/** The parameters of a credential by lower-case name (RFC 9110, 11.4); undefined if the text is not a parameter list. */
export function readAuthParams(text: string): ReadonlyMap<string, string> | undefined {
  const params = new Map<string, string>();
  let at = 0;
  while (at < text.length) {
    separator.lastIndex = at;
    const [gap = '', comma] = separator.exec(text) ?? [];
    at += gap.length;
    if (at === text.length) break;
    if (params.size > 0 && comma === undefined) return undefined;
    parameter.lastIndex = at;
    const read = parameter.exec(text);
    if (read === null) return undefined;
    const [whole, name = '', quoted, token = ''] = read;
    const key = name.toLowerCase();
    if (params.has(key)) return undefined;
    params.set(key, quoted === undefined ? token : quoted.replaceAll(/\\(.)/g, '$1'));
    at += whole.length;
  }
  return params;
}

/** Commas; a list may contain empty elements (RFC 9110, 5.6.1). */
const separator = /[ \t]*(?:(,)[ \t,]*)?/y;
const parameter =
  /([!#$%&'*+.^_`|~\w-]+)[ \t]*=[ \t]*(?:"((?:[\t \x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t \x21-\x7e\x80-\xff])*)"|([!#$%&'*+.^_`|~\w-]+))/y;
