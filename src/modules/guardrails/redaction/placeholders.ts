/** The placeholder of the value with this number. Kinds and names of rules become upper case with underscores. */
export function placeholderFor(kind: string, number: number): string {
  return `<${labelOf(kind)}_${number}>`;
}

/** The placeholder of values that are not numbered, since they can't be restored. */
export function anonymousPlaceholder(kind: string): string {
  return `<${labelOf(kind)}>`;
}

export function labelOf(kind: string): string {
  return kind.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
}
