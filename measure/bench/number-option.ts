/** Reads an option of the command line that must be a positive number. */
export function numberOption(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value))
    throw new Error(`--${name} must be a positive number, not "${text}"`);
  return value;
}
