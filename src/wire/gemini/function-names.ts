/**
 * Google's function names begin with a letter or an underscore; those of other formats may also begin with a digit or a
 * dash. Such a name gets a prefix on its way to Google.
 */
export function encodeFunctionName(name: string): string {
  return unusualStart.test(name) ? prefix + name : name;
}

export function decodeFunctionName(name: string): string {
  if (!name.startsWith(prefix)) return name;
  const rest = name.slice(prefix.length);
  return unusualStart.test(rest) ? rest : name;
}

const unusualStart = /^[\d-]/;
const prefix = 'weir_';
