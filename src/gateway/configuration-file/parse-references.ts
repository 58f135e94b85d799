/** `${VAR}` or `${VAR:-default}`. */
interface VariableReference {
  readonly variable: string;
  readonly otherwise: string | undefined;
}

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The pieces of a text; undefined if a reference has no end or no name. `$${` stands for `${`. */
export function parseReferences(text: string): readonly (string | VariableReference)[] | undefined {
  const pieces: (string | VariableReference)[] = [];
  let from = 0;
  for (let at = text.indexOf('${'); at >= 0; at = text.indexOf('${', from)) {
    if (text[at - 1] === '$') {
      pieces.push(text.slice(from, at - 1), '${');
      from = at + 2;
      continue;
    }
    const end = text.indexOf('}', at);
    const [name = '', ...rest] = text.slice(at + 2, Math.max(at + 2, end)).split(':-');
    if (end < 0 || !variableName.test(name)) return undefined;
    pieces.push(text.slice(from, at), {
      variable: name,
      otherwise: rest.length > 0 ? rest.join(':-') : undefined,
    });
    from = end + 1;
  }
  return [...pieces, text.slice(from)];
}
