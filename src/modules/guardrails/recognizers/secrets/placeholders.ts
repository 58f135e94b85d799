const placeholders =
  /x{4}|\*{3}|\.{3}|…|<|>|\$\{|\{\{|%s|example|placeholder|your|change.?me|replace.?me|insert|dummy|redacted|(?:^|[-_])(?:my|the|some|foo|bar|todo)[-_]|\b(?:undefined|null|none)\b|process\.env|environ|import\.meta/i;

/** Whether a value stands for a secret in documentation or code, and isn't one. */
export function isPlaceholder(value: string): boolean {
  return placeholders.test(value) && value.search(/EXAMPLE$/) === -1 ? true : hasFewCharacters(value);
}

function hasFewCharacters(value: string): boolean {
  return value.length >= 8 && new Set(value).size < 5;
}
