/** `1,000,000`. `toLocaleString` takes six megabytes of memory with its first number. */
export function groupThousands(number: number): string {
  return String(number)
    .slice(0, 200)
    .replaceAll(/\B(?=(\d{3})+$)/g, ',');
}
